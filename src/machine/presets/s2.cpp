#include "machine/presets.hpp"

namespace ww {
namespace {

// T(n) = t_s + t_c n (Ross, table of figure 3.5). From the table come t_s, t_c and the clock only; alpha =
// t_s f and beta = t_c f are derived, since the print is not consistent with itself:
//   Comet inter        t_c is printed as 2.904314e-8, ten times what its beta, its inverse and its plot say
//   Comet intra        alpha in flops 58398.9 is not 16 x 3149.43
//   Stampede inter     beta is printed as 7.7958925 where t_c f = 7.7950925, which is what its printed inverse
//                      says
//   Stampede intra     alpha is printed as 783.963245 where t_s f = 703.963245, which is what its flops say
Link line(Place between, double t_s, double t_c) {
  Link link;
  link.between = between;
  link.latency_s = t_s + t_c;
  link.latency_ci_s = {link.latency_s, link.latency_s};
  link.one_way.segments = {{1, 4194304, t_s, t_c, {t_s, t_s}, {t_c, t_c}}};
  return link;
}

MachineModel machine(const char* name, double clock_hz, const Link& inter, const Link& intra) {
  MachineModel model;
  model.name = name;
  model.links = {inter, intra};
  model.clock_hz = clock_hz;
  model.alpha_cycles = inter.one_way.segments[0].base_s * clock_hz;
  model.beta_cycles_per_byte = inter.one_way.segments[0].seconds_per_byte * clock_hz;
  model.flags = {"software and wire are not told apart; costs F, S, R, A, U, E were not measured"};
  return model;
}

}  // namespace

MachineModel comet() {
  return machine("comet", 2.7e9, line(Place::inter, 2.82577289e-6, 2.904314e-9),
                 line(Place::intra, 1.166456489e-6, 1.1009581e-9));
}
const Preset comet_preset{"comet", "XSEDE Comet, InfiniBand and within a node", "Ross (S2)", comet};

MachineModel stampede() {
  return machine("stampede", 2.5e9, line(Place::inter, 4.315461736e-6, 3.118037e-9),
                 line(Place::intra, 0.281585298e-6, 1.462788e-9));
}
const Preset stampede_preset{"stampede", "XSEDE Stampede, InfiniBand and within a node", "Ross (S2)",
                             stampede};

}  // namespace ww
