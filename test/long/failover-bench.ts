// Sixteen faults of one upstream with a fallback model behind it: a 60-word answer at 15 ms a word, two retries, a
// request timeout of 30 s. Judged by what the caller got and what the upstreams saw.
import { failoverScenes } from '../support/faults/failover-scenes.ts'
import { playFailoverScene } from '../support/faults/play-failover-scene.ts'

const asked = process.argv.slice(2)
const chosen = failoverScenes.filter(({ name }) => asked.length === 0 || asked.includes(name))
const verdicts = await Promise.all(
  chosen.map(async (scene) => ({ name: scene.name, problems: await playFailoverScene(scene) })),
)
for (const { name, problems } of verdicts)
  process.stdout.write(`  ${name}: ${problems.length === 0 ? 'as it should be' : problems.join('; ')}\n`)
const good = verdicts.filter(({ problems }) => problems.length === 0).length
process.stdout.write(`failover bench: ${good} of ${chosen.length}\n`)
if (good !== chosen.length) process.exitCode = 1
