// Every ready-made fault × callers × channels × streams and whole answers × bare caller and official client,
// without and with a healthy target: what the caller sees is what the table of faults says. F45 and F46 are
// brought about by the caller and by the gateway itself.

import { readyScripts } from '../../tools/chaos/ready/ready-scripts.ts'
import { judgeLifecycleScript } from '../support/faults/judge-lifecycle-script.ts'
import { judgeReadyScript } from '../support/faults/judge-ready-script.ts'

const asked = process.argv.slice(2)
const chosen = readyScripts.filter(
  ({ name, id }) => asked.length === 0 || asked.includes(name) || asked.includes(id),
)
let cases = 0
let good = 0
for (const ready of chosen) {
  const verdict = await (ready.actor === undefined ? judgeReadyScript(ready) : judgeLifecycleScript(ready))
  cases += verdict.cases
  good += verdict.cases - verdict.failures.length
  for (const failure of verdict.failures) process.stdout.write(`  ${failure}\n`)
}
process.stdout.write(`fault matrix: ${chosen.length} faults, ${good} of ${cases} as specified\n`)
if (good !== cases) process.exitCode = 1
