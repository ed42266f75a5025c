"""cmake --install gives a relocatable tree that works from another directory."""
import os
import shutil
import subprocess

from support import Case


class Installed(Case):
    def test_a_moved_tree_records_and_reports(self):
        subprocess.run(["cmake", "--install", os.environ["BUILD"], "--prefix", self.dir / "first"], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.move(self.dir / "first", self.dir / "moved")
        moved = self.dir / "moved" / "bin" / "whatwire"
        cg = self.dir / "moved" / "share" / "whatwire" / "examples" / "cg"
        self.assertTrue(cg.exists())
        self.succeed("doctor", program=moved)
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", cg, "--solves", "2", program=moved)
        report = self.json_of("report", "t.ww", program=moved)
        self.assertEqual(len(report["ranks"]), 2)
        self.assertGreater(sum(r["messages_sent"] for r in report["ranks"]), 0)
