// The answer, one sentence a program.
const is_disturbed = (study) => [...(study.diagnostics ?? []), ...(study.report?.diagnostics ?? [])].some(
    (diagnostic) => diagnostic.name.startsWith('times-disturbed'));

// "bandwidth=x10,latency=5us" in words: "10 times the bandwidth and a latency of 5us".
function spec_text(spec) {
  const words = spec.split(',').map((part) => {
    const [term, value] = part.split('=', 2).map((text) => text?.trim());
    if (value === undefined) return part;
    if (!value.startsWith('x')) return `a ${term} of ${value}`;
    return term === 'bandwidth' || term === 'compute' ? `${value.slice(1)} times the ${term}` :
                                                        `the ${term} times ${value.slice(1)}`;
  });
  return words.join(' and ');
}

// How a what-if ended: the best time known for it, how far the answers are apart, and whether that is
// agreement.
function judge(what_if) {
  const {simulated, dilated, real} = what_if;
  const truth = real ?? simulated ?? dilated;
  const error = (time) => (real && time ? time.s / real.s - 1 : null);
  const errors = [error(simulated), error(dilated)].filter((value) => value !== null);
  let apart = null;
  if (errors.length)
    apart = Math.max(...errors.map(Math.abs));
  else if (simulated && dilated)
    apart = Math.abs(dilated.s / simulated.s - 1);
  return {
    truth,
    source: real  ? 'real' :
        simulated ? 'simulated' :
                    'dilated',
    simulated_error: error(simulated),
    dilated_error: error(dilated),
    apart
  };
}

function answer(study, what_if) {
  const {truth, source, apart} = judge(what_if);
  const name =
      el('div', {class: 'name'}, el('a', {href: '#' + study.anchor}, study.name),
         is_disturbed(study) && el('span', {class: 'badge warn'}, 'times disturbed'));
  if (!truth)
    return el(
        'div', {class: 'answer unchecked'}, name,
        el('p', {}, `Nothing is known yet about ${spec_text(what_if.spec)}.`));
  const factor = study.recorded_s / truth.s;
  const gain = factor >= 1.005 ? `${digits(factor, 3)} times as fast` :
      factor > 0.995 ? 'no faster' :
                       `${digits(1 / factor, 3)} times slower`;
  let verdict = '';
  if (source === 'real' && apart !== null) {
    const predicted = what_if.simulated && what_if.dilated ? 'Simulation, dilation' :
        what_if.simulated                                  ? 'Simulation' :
                                                             'Dilation';
    verdict = what_if.agree ? `${predicted} and the real run agree within ${percent(apart)}.` :
                              `${predicted} and the real run do not agree: up to ${percent(apart)} apart.`;
  } else if (apart !== null)
    verdict = `Simulation and dilation are ${percent(apart)} apart; no real run checked them.`;
  else
    verdict = source === 'real' ?
        'This was run for real; nothing predicted it.' :
        `By ${source === 'simulated' ? 'simulation' : 'dilation'} alone; no real run checked it.`;
  const state = source !== 'real' || apart === null ? 'unchecked' : what_if.agree ? 'agreed' : 'apart';
  return el(
      'div', {class: 'answer ' + state}, name,
      el('div', {class: 'factor'}, factor_text(factor), el('small', {}, 'with ' + spec_text(what_if.spec))),
      el('p', {}, `${seconds(study.recorded_s)} would take ${seconds(truth.s)}: ${gain}. ${verdict}`));
}

function headline(studies) {
  return el(
      'div', {class: 'answers'},
      studies.map((study) => study.what_ifs.slice(0, 1).map((what_if) => answer(study, what_if))));
}
