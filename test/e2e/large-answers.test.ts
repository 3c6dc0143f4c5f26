import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatIds } from '../../src/canonical/format.ts'
import { LARGE_ANSWER_BYTES } from '../../src/pipeline/attempt/whole-answer-reader.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import { ask } from '../support/ask.ts'
import { bodyFormatIds } from '../support/body-formats.ts'
import { replyArbitrary } from '../support/canonical-arbitraries.ts'
import { openGateway } from '../support/open-gateway.ts'

const formats = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const REPLIES = 6
/** White space before JSON is part of it, and makes any answer a large one. */
const blank = ' '.repeat(LARGE_ANSWER_BYTES)

for (const channel of formatIds) {
  it(`a ${channel} answer that is read in slices gives the same result as one read at once`, async () => {
    const replies = fc.sample(replyArbitrary({ format: channel }), { seed: 14, numRuns: REPLIES })
    const texts = replies.map((reply) => JSON.stringify(formats[channel].writeReply(reply).value))
    let answer = ''
    await using open = await openGateway({
      scripts: [() => ({ headers: { 'content-type': 'application/json' }, chunks: [answer] })],
      format: channel,
      more: 'retry: { attempts: 1 }\n',
      firstMore: 'breaker: off',
    })
    let answered = 0
    for (const text of texts) {
      for (const caller of bodyFormatIds) {
        for (const stream of [false, true]) {
          const reported: { status: number; text: string }[] = []
          for (answer of [text, blank + text]) {
            const asked = await ask({ url: open.gateway.url, format: caller }, question(caller, stream))
            reported.push({ status: asked.status, text: plain(asked.body.toString()) })
          }
          expect(reported[1], `${caller}, ${stream ? 'stream' : 'whole'}: ${text}`).toEqual(reported[0])
          if (reported[0]?.status === 200) answered += 1
        }
      }
    }
    expect(answered).toBeGreaterThan(REPLIES)
  })
}

function question(format: (typeof bodyFormatIds)[number], stream: boolean) {
  return {
    model: 'm',
    stream,
    ...(format === 'responses' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }] }),
    ...(format === 'messages' ? { max_tokens: 10 } : {}),
  }
}

/** Without the white space, the times and the IDs that are the gateway's own for each request. */
function plain(text: string): string {
  return text
    .trimStart()
    .replace(/"(created|created_at|completed_at)":[\d.]+/g, '"$1":0')
    .replace(
      /(?:req|resp|msg|fc|rs|call|chatcmpl)_?-?[\w-]{16,}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}/g,
      'ID',
    )
}
