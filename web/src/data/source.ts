// Where the page's data come from. Every picture gets them through a Source, so that it is the same page whether it
// carries its data (a report, offline) or asks a server for them as they are needed.
import type { Report, TimelineData } from './types.ts';

export interface Source {
  // Everything but the timelines, which are most of the bytes.
  report(): Promise<Report>;
  // Of the study with this index; null where it has none.
  timeline(study: number): Promise<TimelineData | null>;
}

export class Embedded implements Source {
  private readonly data: Report;
  constructor(json: string) {
    this.data = JSON.parse(json);
  }
  async report() {
    return { ...this.data, studies: this.data.studies.map(({ timeline, ...study }) => study) };
  }
  async timeline(study: number) {
    return this.data.studies[study]?.timeline ?? null;
  }
}

// GET BASE/report and BASE/timeline/INDEX, both JSON.
export class Asked implements Source {
  private readonly base: string;
  constructor(base: string) {
    this.base = base;
  }
  report() {
    return this.get<Report>('report');
  }
  timeline(study: number) {
    return this.get<TimelineData | null>(`timeline/${study}`);
  }
  private async get<Answer>(what: string): Promise<Answer> {
    const url = `${this.base}/${what}`,
      answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} was answered with ${answer.status} ${answer.statusText}`);
    return answer.json();
  }
}
