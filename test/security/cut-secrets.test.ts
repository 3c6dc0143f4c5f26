import { expect, it } from 'vitest'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { upstreamKey } from '../support/agent/speech.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { openGateway } from '../support/open-gateway.ts'
import { streamRequest } from '../support/sample-streams.ts'

/** The lengths at which errors of providers are cut: messages, and bodies. */
const lengths = [2_048, 4_096, 65_536]

it.each<ChannelFormatId>(['chat', 'messages', 'responses', 'gemini', 'cohere'])(
  'no part of a key is shown where the error of a channel of the format %s is cut within the key',
  async (format) => {
    let body = ''
    let type = ''
    await using opened = await openGateway({
      format,
      scripts: [() => ({ status: 400, headers: { 'content-type': type }, chunks: [body] })],
    })
    const { url } = opened.gateway
    const askAdmin = createAskAdmin(url)
    const leaks: string[] = []
    for (const length of lengths) {
      const message = `${'x'.repeat(length - 18)}${upstreamKey} is wrong`
      const error = { type: 'invalid_request_error', message, code: 400, status: 'INVALID_ARGUMENT' }
      const bodies = {
        'application/json': JSON.stringify({ type: 'error', error, message }),
        'text/plain': message,
      }
      for (const [contentType, text] of Object.entries(bodies)) {
        ;[body, type] = [text, contentType]
        for (const caller of ['chat', 'messages'] as const) {
          const answer = await ask({ url, format: caller }, streamRequest('m'))
          const readRow = () => askAdmin('GET', `/requests/${answer.headers['x-request-id']}`)
          // Another process may not have written the row yet.
          await expect.poll(async () => (await readRow()).status).toBe(200)
          const seen = { answer: answer.body.toString(), row: (await readRow()).text }
          for (const [name, shown] of Object.entries(seen))
            if (shown.includes(upstreamKey.slice(0, 12)))
              leaks.push(`${length} ${contentType} ${caller} ${name}`)
        }
      }
    }
    expect(leaks).toEqual([])
  },
)
