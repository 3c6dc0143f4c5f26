// Sixteen faults of one upstream with a fallback model behind it, and ninety seconds of silent thinking, in real time:
// with no settings but channels, models and a fallback, and again with streams that are recovered. Judged by what the
// caller got and what the upstreams saw. The names of scenes, such as B7, choose some.
import { systemClock } from '../../src/kit/time/clock.ts'
import { failoverScenes, thinkingScenes } from '../support/faults/failover-scenes.ts'
import {
  type FailoverMode,
  type OpenedScene,
  openFailoverScene,
} from '../support/faults/play-failover-scene.ts'

const asked = process.argv.slice(2)
const scenes = [...failoverScenes, ...thinkingScenes].filter(
  ({ name }) => asked.length === 0 || asked.some((start) => name === start || name.startsWith(`${start} `)),
)

async function play(mode: FailoverMode): Promise<boolean> {
  await using cleanup = new AsyncDisposableStack()
  // All are there before the first begins, since to start one takes time from the others.
  const opened: OpenedScene[] = []
  for (const scene of scenes)
    opened.push(cleanup.use(await openFailoverScene(scene, { mode, clock: systemClock })))
  const verdicts = await Promise.all(opened.map((scene) => scene.play()))
  for (const { name, outcome, problems } of verdicts)
    process.stdout.write(`  ${mode}, ${name}: ${outcome}${problems.map((one) => `; ${one}`).join('')}\n`)
  const sixteen = verdicts.filter(({ name }) => /^B\d/.test(name))
  const count = (outcome: string) => sixteen.filter((one) => one.outcome === outcome).length
  const good = verdicts.filter(({ problems }) => problems.length === 0).length
  process.stdout.write(
    `scenarios, ${mode}: of ${sixteen.length} faults ${count('whole')} whole answers, ${count('refused')} refusals handed on, ${count('error event')} error events; ${good} of ${verdicts.length} as they should be\n`,
  )
  return good === verdicts.length
}

const isGood = [await play('defaults'), await play('verified')]
if (isGood.includes(false)) process.exitCode = 1
