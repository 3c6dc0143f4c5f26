import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { Provider } from '../../providers/provider.ts'
import { dialectOf, pathOf } from '../../providers/registry.ts'
import { jsonBody } from '../../upstream/upstream-body.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import type { Lane, WholeReply } from './lane.ts'
import { parseReply } from './read-whole-reply.ts'
import { errorReaderOf, writeShaped } from './translated-call.ts'
import { createWholeLane } from './whole-lane.ts'

export interface CheckLaneInput {
  readonly target: Target
  readonly provider: Provider
  readonly format: ChannelFormat
}

/** Opens the smallest request that shows that a model answers. Its answer is read to the end and discarded. */
export function openCheckLane({ target, provider, format }: CheckLaneInput): Lane {
  const request: ChatRequest = {
    model: target.upstreamModel,
    stream: false,
    maxOutputTokens: 1,
    turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  }
  const dialect = dialectOf(provider, target)
  const written = format.writeRequest(request, { model: target.upstreamModel, dialect })
  const shaped = writeShaped(written.value, { target, provider, format })
  return createWholeLane(
    {
      kind: 'translated',
      path: pathOf(provider, format, { ...target, isStream: false }),
      headers: shaped.headers,
      body: jsonBody(shaped.body),
      losses: [],
      readError: errorReaderOf(provider, format),
    },
    (body) => readToEnd(body, format),
  )
}

function* readToEnd(body: Buffer, format: ChannelFormat): Steps<WholeReply | Failure> {
  const parsed = yield* parseReply(body)
  if (isFailure(parsed)) return parsed
  const reply = format.readReply(parsed.json)
  return isFailure(reply) ? reply : noAnswer
}

const noAnswer: WholeReply = { body: '', usage: undefined, losses: [] }
