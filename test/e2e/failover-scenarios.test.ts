import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/kit/time/clock.ts'
import { failoverScenes, thinkingScenes } from '../support/faults/failover-scenes.ts'
import {
  type FailoverMode,
  type FailoverScene,
  playFailoverScene,
} from '../support/faults/play-failover-scene.ts'
import { createQuickClock } from '../support/quick-clock.ts'
import { topology } from '../support/topology/topology.ts'

/** `npm run test:long -- scenarios` plays all of them in real time, and is the one to judge how long they took. */
const TIMES = 10
/** Processes of their own have the system's clock. */
const isReal = topology !== 'one process'
const LIMIT_MS = isReal ? 300_000 : 20_000

async function problemsOf(scene: FailoverScene, mode: FailoverMode): Promise<readonly string[]> {
  const clock = isReal ? systemClock : createQuickClock(TIMES)
  const { problems } = await playFailoverScene(scene, { mode, clock })
  return problems.filter((problem) => !problem.startsWith('it took'))
}

describe.concurrent('with channels, models and a fallback, and no other setting', {
  timeout: LIMIT_MS,
}, () => {
  it.each(failoverScenes)('$name: the answer is whole, or reports that it is not', async (scene) => {
    expect(await problemsOf(scene, 'defaults')).toEqual([])
  })

  it.each(thinkingScenes)('$name: the gateway waits through ninety seconds of silence', async (scene) => {
    expect(await problemsOf(scene, 'defaults')).toEqual([])
  })
})

describe.concurrent('with stream recovery', { timeout: LIMIT_MS }, () => {
  const broken = failoverScenes.filter(({ expected }) => expected?.defaults === 'error event')

  it.each(broken)('$name: the answer is whole', async (scene) => {
    expect(await problemsOf(scene, 'verified')).toEqual([])
  })
})
