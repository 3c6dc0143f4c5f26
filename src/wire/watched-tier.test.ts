import { expect, it } from 'vitest'
import { type JsonObject, quoteText } from '../kit/json/json.ts'
import { createSseParser } from '../kit/sse/sse-parser.ts'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'

const choices = [{ index: 0, message: { content: 'Hi' }, text: 'Hi', finish_reason: 'stop' }]
const usage = { prompt_tokens: 1, completion_tokens: 1 }
const counted = { input_tokens: 1, output_tokens: 1 }
const candidates = [{ index: 0, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]

const answers = [
  { format: chatFormat, whole: { choices, usage, service_tier: 'flex' }, tier: 'flex' },
  { format: completionsFormat, whole: { choices, usage, service_tier: 'priority' }, tier: 'priority' },
  {
    format: responsesFormat,
    whole: { status: 'completed', output: [], usage: counted, service_tier: 'default' },
    tier: 'standard',
  },
  {
    format: messagesFormat,
    whole: { content: [{ type: 'text', text: 'Hi' }], usage: { ...counted, service_tier: 'priority' } },
    tier: 'priority',
  },
  { format: geminiFormat, whole: { candidates, usageMetadata: { serviceTier: 'flex' } }, tier: 'flex' },
] as const

it.each(answers)(
  'the tier of a whole answer of $format.id is read by the watcher',
  ({ format, whole, tier }) => {
    const body: JsonObject = JSON.parse(JSON.stringify(whole))
    expect(format.watchReply(body).servedTier).toEqual(tier)
  },
)

const frames: Readonly<Record<string, (whole: unknown) => unknown>> = {
  responses: (response) => ({ type: 'response.completed', response }),
  messages: (message) => ({ type: 'message_start', message }),
}

it.each(answers)('the tier of a stream of $format.id is read by the watcher', ({ format, whole, tier }) => {
  const watcher = format.createStreamWatcher()
  const data = JSON.stringify(frames[format.id]?.(whole) ?? whole)
  for (const frame of createSseParser().push(Buffer.from(`data: ${data}\n\n`))) watcher.inspect(frame)
  expect(watcher.servedTier).toEqual(tier)
})

it('a tier of one provider alone retains its name', () => {
  const body: JsonObject = JSON.parse(`{"choices":[],"service_tier":${quoteText('turbo')}}`)
  expect(chatFormat.watchReply(body).servedTier).toEqual({ format: 'chat', word: 'turbo' })
})
