import { describe, expect, it } from 'vitest'
import { createAdvancingClock } from '../support/advancing-clock.ts'
import { ask } from '../support/ask.ts'
import { openGateway } from '../support/open-gateway.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'

const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

it.each([
  [429, 429, 'rate_limit_exceeded', 'half-close'],
  [503, 503, 'upstream_overloaded', 'half-close'],
  [401, 502, 'upstream_credential', 'half-close'],
  [429, 429, 'rate_limit_exceeded', 'hang'],
  [400, 400, 'upstream_rejected', 'hang'],
] as const)(
  'an error answer whose end is missing is still reported by its status: %i',
  async (status, reported, code, ending) => {
    const headers = { 'content-type': 'application/json', 'content-length': '500' }
    const cut = { status, headers, chunks: ['{"error":{"message":"Sl'], ending } as const
    const more = 'queue: off\nretry: { same_target: 0 }\n'
    await using open = await openGateway({ scripts: [cut], more, firstMore: 'timeouts: { idle: 1s }' })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, body)
    expect(answer.status).toBe(reported)
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code } })
  },
)

/** The seconds for which a caller waits at least, by a clock that the test moves in steps of a second. */
async function waitedSeconds(answer: Promise<unknown>, clock: { advance(byMs: number): void }) {
  let isHere = false
  void answer.finally(() => {
    isHere = true
  })
  let seconds = 0
  await untilAsync('the answer arrives', async () => {
    if (isHere) return true
    clock.advance(1_000)
    seconds += 1
    return false
  })
  return seconds
}

const refusal = '{"error":{"message":"No such tool here"}}'

describe('an error answer whose end never comes', () => {
  it.each([
    ['a stream', true],
    ['a whole answer', false],
  ])('is reported after some seconds, with the text that arrived, for %s', async (_name, stream) => {
    const clock = createAdvancingClock()
    const headers = { 'content-type': 'application/json' }
    const stalled = { status: 400, headers, chunks: [refusal], ending: 'hang' } as const
    await using open = await openGateway({ scripts: [stalled], clock })
    const answer = ask({ url: open.gateway.url, format: 'chat' }, { ...body, stream })
    await open.upstreams[0]?.request(0)
    expect(await waitedSeconds(answer, clock)).toBeLessThan(30)
    expect((await answer).status).toBe(400)
    expect((await answer).body.toString()).toContain('No such tool here')
  })

  it('is passed through after some seconds', async () => {
    const clock = createAdvancingClock()
    await using upstream = await openScriptedUpstream({ status: 404, chunks: [refusal], ending: 'hang' })
    await using gateway = await startGateway(
      `keys: [{ name: ci, secret: ${testKey}, passthrough: [direct] }]
channels: [{ name: direct, provider: openai, base_url: "${upstream.origin}/v1", api_key: sk-up-0123456789abcdef, allow_private: true, models: [m], passthrough: [{ path: /tools }] }]
`,
      undefined,
      { clock },
    )
    const answer = fetch(`${gateway.url}/passthrough/direct/tools`, {
      headers: { authorization: `Bearer ${testKey}` },
    })
    await upstream.request(0)
    expect(await waitedSeconds(answer, clock)).toBeLessThan(30)
    expect([(await answer).status, await (await answer).text()]).toEqual([404, refusal])
  })
})
