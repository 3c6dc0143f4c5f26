import { describe, expect, it } from 'vitest'
import { ask, errorAtEnd, errorEvents, isTerminated, splitEvents } from '../support/ask.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { createGate } from '../support/gate.ts'
import { type GatewayPlan, openGateway } from '../support/open-gateway.ts'
import { lanes } from '../support/relays.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { sseAnswer } from '../support/scripted-upstream.ts'

const settings = 'heartbeat: { after: 50ms, every: 50ms }\nretry: { same_target: 0 }\n'

function isHeartbeat(format: BodyFormatId, event: string): boolean {
  return format !== 'messages'
    ? /^:.*\n\n$/.test(event)
    : /^event: ping\ndata: ?\{"type": ?"ping"\}\n\n$/.test(event)
}

/**
 * Asks for a stream and gives it once it is over; `whenSilent` is called once with what came before the third event.
 */
async function askGated(
  plan: GatewayPlan,
  caller: BodyFormatId,
  whenSilent: (events: readonly string[]) => void,
) {
  await using open = await openGateway({ more: settings, ...plan })
  let isReported = false
  const answer = await ask({ url: open.gateway.url, format: caller }, streamRequest('m'), {
    onBytes(soFar) {
      const events = splitEvents(soFar.toString())
      if (isReported || events.length < 3) return
      isReported = true
      whenSilent(events)
    },
  })
  const text = answer.body.toString()
  const events = splitEvents(text)
  const said = events.filter((event) => !isHeartbeat(caller, event)).join('')
  return { ...answer, text, said, isReported, asked: open.upstreams.map(({ requests }) => requests.length) }
}

describe.each(lanes)('a %s caller on a %s channel', (caller, channel) => {
  const { frames, bytes } = sampleStreams[channel]
  const good = sseAnswer(frames)
  const isSilent = (events: readonly string[]) => events.every((event) => isHeartbeat(caller, event))
  /** The frames of the upstream before it shows anything of an answer. */
  const head = frames.slice(0, 1)

  it('gets only heartbeats until there is content, then all of it', async () => {
    const gate = createGate()
    // An answer that is stored has our id in place of the provider's.
    const more = `${settings}stored_responses: off\n`
    const plan = { format: channel, scripts: [sseAnswer([...head, gate.opened, ...frames.slice(1)])], more }
    let silent: readonly string[] = []
    const answer = await askGated(plan, caller, (events) => {
      silent = events
      gate.open()
    })
    expect([answer.status, answer.isCut, isSilent(silent)]).toEqual([200, false, true])
    expect(isTerminated(caller, answer.said)).toBe(true)
    if (caller === channel) expect(answer.text.endsWith(bytes.toString())).toBe(true)
    expect(answer.said.match(/Grüße, "/g)).toHaveLength(1)
  })

  it('is served by another channel even after heartbeats, and sees nothing of the first', async () => {
    const gate = createGate()
    const marked = head.map((frame) => frame.replace(/chatcmpl-1|msg_1/, 'id_of_the_first'))
    const first = sseAnswer([...marked, gate.opened], 'reset')
    const answer = await askGated({ format: channel, scripts: [first, good] }, caller, gate.open)
    expect([answer.status, answer.isCut, answer.isReported, answer.asked]).toEqual([200, false, true, [1, 1]])
    expect(isTerminated(caller, answer.said)).toBe(true)
    expect(answer.text).not.toContain('id_of_the_first')
    expect(answer.said.match(/Grüße, "/g)).toHaveLength(1)
  })

  it('gets a failure as an event after heartbeats, and the body has no terminator', async () => {
    const gate = createGate()
    const scripts = [1, 2].map(() => sseAnswer([...head, gate.opened], 'half-close'))
    const answer = await askGated({ format: channel, scripts }, caller, gate.open)
    expect([answer.status, answer.isCut, answer.asked]).toEqual([200, true, [1, 1]])
    expect(errorAtEnd(caller, answer.text)).toMatchObject({ code: 'upstream_disconnected' })
    expect(splitEvents(answer.said)).toHaveLength(errorEvents[caller])
    expect(isTerminated(caller, answer.text)).toBe(false)
  })

  it('gets an HTTP error if nothing is sent yet', async () => {
    const scripts = [sseAnswer(head, 'half-close')]
    const more = 'retry: { same_target: 0 }\n'
    const answer = await askGated({ format: channel, scripts, more }, caller, () => undefined)
    expect([answer.status, answer.isCut]).toEqual([502, false])
    expect(JSON.parse(answer.text)).toHaveProperty('error.code', 'upstream_disconnected')
  })
})
