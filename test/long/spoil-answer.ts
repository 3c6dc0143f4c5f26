import type { Chance } from './create-chance.ts'
import type { GoodAnswer } from './good-answers.ts'
import { byteSpoilers } from './spoil-bytes.ts'
import { spoilValue } from './spoil-value.ts'

export interface SpoiltAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Written one by one. */
  readonly pieces: readonly Buffer[]
  readonly ending: 'end' | 'reset' | 'half-close'
}

const contentTypes = [
  'application/json',
  'text/event-stream',
  'text/html',
  'text/plain',
  '',
  'application/octet-stream',
]
const statuses = [
  200, 200, 200, 200, 201, 204, 400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 599,
]
const oddBodies = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '"x"',
  'data: [DONE]\n\n',
  'data: {}\n\n',
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
  '{"error":{"message":"out of credit","code":"insufficient_quota"}}',
  '{"error":"text"}',
  '<html>Bad Gateway</html>',
]

/** A provider's answer as a bad day might leave it. */
export function spoilAnswer(good: GoodAnswer, chance: Chance): SpoiltAnswer {
  const text = chance.next() < 0.1 ? chance.pick(oddBodies) : spoilText(good.text, chance)
  const bytes = chance.next() < 0.5 ? chance.pick(byteSpoilers)(Buffer.from(text), chance) : Buffer.from(text)
  return {
    status: chance.next() < 0.25 ? chance.pick(statuses) : 200,
    headers: {
      'content-type': chance.next() < 0.15 ? chance.pick(contentTypes) : good.contentType,
      ...(chance.next() < 0.05 ? { 'retry-after': chance.pick(['1', '-1', 'soon', '99999999999']) } : {}),
      ...(chance.next() < 0.03 ? { 'content-encoding': chance.pick(['gzip', 'br', 'identity', 'x']) } : {}),
    },
    pieces: cut(bytes, chance),
    ending: chance.next() < 0.85 ? 'end' : chance.pick(['reset', 'half-close']),
  }
}

/** JSON and the JSON within frames lose their shape; frames go missing, change places or come twice. */
function spoilText(text: string, chance: Chance): string {
  if (chance.next() < 0.2) return text
  if (!text.includes('\n\n')) return spoilJson(text, chance)
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  const end = chance.pick(['\n\n', '\n\n', '\r\n\r\n', '\n', '\r\r'])
  return frames
    .flatMap((frame) => {
      const roll = chance.next()
      if (roll < 0.07) return []
      if (roll < 0.12) return [frame, frame]
      return [roll < 0.4 ? spoilFrame(frame, chance) : frame]
    })
    .map((frame) => frame + end)
    .join('')
}

function spoilFrame(frame: string, chance: Chance): string {
  const at = frame.indexOf('data: ')
  if (at === -1) return frame
  return frame.slice(0, at + 6) + spoilJson(frame.slice(at + 6), chance)
}

function spoilJson(text: string, chance: Chance): string {
  if (!text.startsWith('{')) return text
  return JSON.stringify(spoilValue(JSON.parse(text), chance, 0.06)) ?? ''
}

function cut(bytes: Buffer, chance: Chance): readonly Buffer[] {
  if (chance.next() < 0.5) return [bytes]
  const at = chance.upTo(bytes.length)
  return [bytes.subarray(0, at), bytes.subarray(at)]
}
