import type { FormatId } from '../src/canonical/format.ts'
import { BodyBytes } from '../src/kit/json/body-bytes.ts'
import { chatFormat } from '../src/wire/chat/format.ts'
import { defaultDialect } from '../src/wire/dialect.ts'
import { messagesFormat } from '../src/wire/messages/format.ts'
import { responsesFormat } from '../src/wire/responses/format.ts'
import { parseBody } from '../src/wire/verbatim/parse-body.ts'
import { makeConversation } from './make-conversation.ts'

const formats = { chat: chatFormat, messages: messagesFormat, responses: responsesFormat }
const KILOBYTES = 64
const REPEATS = 300
const LIMIT = 2

/** Measures a request from its bytes to those of the channel, beside parsing and stringifying the same bytes. */
export function measureTranslation(rounds: number) {
  const conversation = makeConversation(KILOBYTES)
  const pairs: readonly (readonly [FormatId & keyof typeof formats, FormatId & keyof typeof formats])[] = [
    ['messages', 'chat'],
    ['chat', 'messages'],
    ['responses', 'chat'],
    ['responses', 'messages'],
  ]
  return pairs.map(([caller, channel]) => {
    const bytes = Buffer.from(JSON.stringify(conversation[caller]))
    const work = {
      floor: () => Buffer.from(JSON.stringify(JSON.parse(bytes.toString('utf8')))).length,
      headgate: () => translate(bytes, caller, channel),
    }
    timeUs(work.floor)
    timeUs(work.headgate)
    const floorUs: number[] = []
    const headgateUs: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      floorUs.push(timeUs(work.floor))
      headgateUs.push(timeUs(work.headgate))
    }
    const kilobytes = Math.round(bytes.length / 1_024)
    const scenario = `request of ${kilobytes} KB, ${caller} caller, ${channel} channel`
    return { scenario, unit: 'request', floorUs, headgateUs, limit: LIMIT }
  })
}

/** All that is done to a body: it is scanned as every body is, read, and written in the channel's format. */
function translate(bytes: Buffer, caller: keyof typeof formats, channel: keyof typeof formats): number {
  const scanned = formats[caller].scanRequest(BodyBytes.from([bytes]))
  const request = formats[caller].readRequest(parseBody(scanned))
  const { value } = formats[channel].writeRequest(request, {
    model: 'bench-upstream',
    dialect: defaultDialect,
  })
  return Buffer.from(JSON.stringify(value)).length
}

function timeUs(work: () => number): number {
  const before = process.cpuUsage()
  let bytes = 0
  for (let index = 0; index < REPEATS; index += 1) bytes += work()
  if (bytes === 0) throw new Error('nothing was written')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REPEATS
}
