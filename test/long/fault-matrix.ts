// Every ready-made fault × callers × channels × streams and whole answers × bare caller and official client, without
// and with a healthy target: what the caller sees is what the table of faults says.
import { readyScripts } from '../../src/simulator/faults/ready/ready-scripts.ts'
import { judgeReadyScript } from '../support/faults/judge-ready-script.ts'

const asked = process.argv.slice(2)
const chosen = readyScripts.filter(
  ({ actor, name, id }) =>
    actor === undefined && (asked.length === 0 || asked.includes(name) || asked.includes(id)),
)
let cases = 0
let good = 0
for (const ready of chosen) {
  const verdict = await judgeReadyScript(ready)
  cases += verdict.cases
  good += verdict.cases - verdict.failures.length
  for (const failure of verdict.failures) process.stdout.write(`  ${failure}\n`)
}
process.stdout.write(`fault matrix: ${chosen.length} faults, ${good} of ${cases} as specified\n`)
if (good !== cases) process.exitCode = 1
