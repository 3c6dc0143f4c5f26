import { expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

/** The system's clock, and the delays of its timers that are neither over nor cancelled. */
function createCountingClock() {
  const waiting = new Map<object, number>()
  const clock: Clock = {
    ...systemClock,
    startTimer(delayMs, fire) {
      const timer = systemClock.startTimer(delayMs, () => {
        waiting.delete(timer)
        fire()
      })
      waiting.set(timer, delayMs)
      return {
        cancel() {
          waiting.delete(timer)
          timer.cancel()
        },
        restart() {
          waiting.set(timer, delayMs)
          timer.restart()
        },
      }
    },
  }
  return { clock, delays: () => [...waiting.values()] }
}

it('a closed gateway leaves no timer, which would hold its memory', async () => {
  await using upstream = await openScriptedUpstream(() => jsonAnswer({}))
  const { clock, delays } = createCountingClock()
  const yaml = channelYaml({ name: 'a', format: 'chat', origin: upstream.origin, models: ['m'] })
  await using gateway = await startGateway(yaml, undefined, { clock })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.arrayBuffer()
  await gateway.close(1_000)
  // The timer of deadlines ends by itself.
  await expect.poll(delays, { timeout: 5_000 }).toEqual([])
})
