// Answers that break off. In process: streams of every pair of formats, with answers of many lengths, cut at every
// byte. Over TCP: cuts by FIN and by RST at many places. None may look whole, and nothing may be left open.

import { systemClock } from '../../src/kit/time/clock.ts'
import { openFaultUpstream } from '../../tools/chaos/upstream/open-fault-upstream.ts'
import { ask, isTerminated } from '../support/ask.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createRelay, relayAll } from '../support/relays.ts'
import { startGateway } from '../support/start-gateway.ts'

const LENGTHS = [1, 2, 3, 5, 8, 13, 21, 34, 40, 55] as const
const CUTS = 2_000
const AT_ONCE = 20
const paths: Readonly<Record<string, string>> = { chat: '/v1/chat/completions', messages: '/v1/messages' }
const lanes: readonly (readonly [BodyFormatId, BodyFormatId])[] = [
  ['chat', 'chat'],
  ['messages', 'messages'],
  ['messages', 'chat'],
  ['chat', 'messages'],
]

const inProcess = await cutInProcess()
process.stdout.write(
  `cut answers, in process: ${inProcess.streams} streams cut at ${inProcess.cuts} bytes, ${inProcess.looksWhole} look whole\n`,
)
const overTcp = await cutOverTcp()
process.stdout.write(
  `cut answers, over TCP: ${overTcp.cuts} cuts by FIN and RST, ${overTcp.looksWhole} look whole, ${overTcp.open} connections and ${overTcp.timers} timers left\n`,
)
if (inProcess.looksWhole + overTcp.looksWhole + overTcp.open + overTcp.timers > 0) process.exitCode = 1

async function cutInProcess() {
  let cuts = 0
  let looksWhole = 0
  for (const [caller, channel] of lanes) {
    for (const words of LENGTHS) {
      const bytes = await answerOf(channel, words)
      // The mark says that the answer ended; from its blank line on the answer is whole.
      const mark = channel === 'chat' ? '"finish_reason":"' : '"stop_reason":"'
      const finishAt = bytes.indexOf('\n\n', bytes.indexOf(mark))
      for (let at = 0; at < finishAt; at += 1) {
        cuts += 1
        const relay = createRelay(caller, channel)
        const output = relayAll(relay, [bytes.subarray(0, at)])
        if (relay.isComplete || relay.failure === undefined || isTerminated(caller, output)) looksWhole += 1
      }
    }
  }
  return { streams: lanes.length * LENGTHS.length, cuts, looksWhole }
}

async function answerOf(channel: BodyFormatId, words: number): Promise<Buffer> {
  await using upstream = await openFaultUpstream({
    clock: systemClock,
    seed: 7,
    script: { answer: { words } },
  })
  const body = JSON.stringify({ model: 'm', stream: true, max_tokens: 64, messages: [] })
  const answer = await fetch(`${upstream.origin}${paths[channel]}`, { method: 'POST', body })
  return Buffer.from(await answer.arrayBuffer())
}

async function cutOverTcp() {
  let looksWhole = 0
  const before = countTimers()
  const open = await playCuts((isWhole) => {
    if (isWhole) looksWhole += 1
  })
  await new Promise((settled) => setTimeout(settled, 1_500))
  return { cuts: CUTS, looksWhole, open, timers: Math.max(0, countTimers() - before) }
}

/** Gives how many connections were left open once the gateway had ended. */
async function playCuts(record: (isWhole: boolean) => void): Promise<number> {
  // Twenty words are some 4,000 bytes in either format; the cut lies before the reason of the end.
  const cut = (by: 'fin' | 'reset') => ({ cut: { after: { bytes: { from: 0, to: 2_500 } }, by } }) as const
  await using upstream = await openFaultUpstream({
    clock: systemClock,
    seed: 7,
    script: { rules: [{ when: { every: 2 }, do: cut('fin') }, { do: cut('reset') }] },
  })
  {
    const channels = lanes.map(([caller, channel]) => ({
      name: `${caller}-${channel}`,
      format: channel,
      origin: upstream.origin,
      models: [`${caller}-${channel}`],
      more: 'breaker: off',
    }))
    await using gateway = await startGateway(
      `${channelYaml(...channels)}retry: { same_target: 0 }\nqueue: off\n`,
    )
    let next = 0
    const work = async () => {
      for (let number = next++; number < CUTS; number = next++) {
        const [caller, channel] = lanes[number % lanes.length] ?? ['chat', 'chat']
        const body = {
          model: `${caller}-${channel}`,
          stream: true,
          max_tokens: 64,
          messages: [{ role: 'user', content: 'Hi' }],
        }
        const answer = await ask({ url: gateway.url, format: caller }, body)
        const isError = answer.status >= 400
        record(!isError && (isTerminated(caller, answer.body.toString()) || !answer.isCut))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  await new Promise((settled) => setTimeout(settled, 500))
  return upstream.traffic.connectionsOpen
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
