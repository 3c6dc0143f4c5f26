import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import type { Loss } from '../../canonical/loss.ts'
import { type RerankReply, usageOfDocuments } from '../../canonical/operations/rerank.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { Provider } from '../../providers/provider.ts'
import { pathOf } from '../../providers/registry.ts'
import { jsonBody, type UpstreamBody } from '../../upstream/upstream-body.ts'
import type { ChannelRerank, ShownResults } from '../../wire/operations/rerank-format.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import { withCost } from '../exchange/answer-cost.ts'
import type { ForAttempt, RerankExchange } from '../exchange/exchange.ts'
import type { Lane, WholeReply } from './lane.ts'
import { operationNotOffered } from './operation-not-offered.ts'
import { encodeWholeText, parseWatchedInSteps } from './read-whole-reply.ts'
import { errorReaderOf, refuseLosses } from './translated-call.ts'
import { createWholeLane } from './whole-lane.ts'

interface RerankTarget {
  readonly target: Target
  readonly provider: Provider
  readonly formats: Readonly<Record<ChannelFormatId, ChannelFormat>>
}

/** Opens the call that ranks documents at one target. Throws if the target ranks no documents or cannot carry these. */
export function openRerankLane(exchange: ForAttempt<RerankExchange>, rerankTarget: RerankTarget): Lane {
  const { target, provider, formats } = rerankTarget
  const form = provider.endpoints?.rerank
  if (form === undefined) throw operationNotOffered(exchange.scanned.model, 'reranking')
  const { body, losses, documentCount, shown } = writeBody(exchange, form, target.upstreamModel)
  if (exchange.isStrict) refuseLosses(losses, exchange.format)
  const call = {
    kind: 'translated' as const,
    path: pathOf(provider, { id: 'rerank', path: form.path }, target),
    origin: provider.originOf?.({ operation: 'rerank', channel: target.channel }),
    headers: {},
    body,
    losses,
    readError: errorReaderOf(provider, formats[target.channel.format]),
  }
  return createWholeLane(call, (answer) =>
    readAnswer(answer, { exchange, rerankTarget, form, documentCount, shown }),
  )
}

interface RankingContext extends Pick<WrittenRanking, 'documentCount' | 'shown'> {
  readonly exchange: ForAttempt<RerankExchange>
  readonly rerankTarget: RerankTarget
  readonly form: ChannelRerank
}

function* readAnswer(answer: Buffer, ranking: RankingContext): Steps<WholeReply | Failure> {
  const { exchange, rerankTarget, form, documentCount, shown } = ranking
  const reply = form.scanReply?.(answer, documentCount) ?? (yield* readParsed(answer, form, documentCount))
  if (isFailure(reply)) return reply
  const { target, provider } = rerankTarget
  const billsUnits = provider.endpoints?.billsSearchUnits === true
  const usage = reply.usage ?? (billsUnits ? usageOfDocuments(documentCount) : undefined)
  const answered = {
    shown,
    reply: { ...reply, usage },
    answer,
    id: exchange.callerRequest.requestId,
    model: target.upstreamModel,
  }
  const written = exchange.format.writeReply(answered, (fields) =>
    withCost(fields, exchange, { usage, servedTier: undefined }),
  )
  const body = typeof written === 'string' ? yield* encodeWholeText(written) : written
  return { body, usage, losses: [] }
}

function* readParsed(
  answer: Buffer,
  form: ChannelRerank,
  documentCount: number,
): Steps<RerankReply | Failure> {
  const parsed = yield* parseWatchedInSteps(answer)
  return isFailure(parsed) ? parsed : form.readReply(parsed.json, documentCount)
}

interface WrittenRanking {
  readonly body: UpstreamBody
  readonly losses: readonly Loss[]
  readonly documentCount: number
  readonly shown: ShownResults
}

/** The caller's own bytes if they are in the provider's form, otherwise the request written in that form. */
function writeBody(
  { scanned, format, readRequest }: ForAttempt<RerankExchange>,
  form: ChannelRerank,
  model: string,
): WrittenRanking {
  const own = form.own && format.spliceOwnForm(scanned, { form: form.own, model })
  if (own !== undefined) {
    const { parts, documents: documentCount, topN } = own
    const shown = { topN, documents: undefined }
    return { body: { type: 'bytes', parts }, losses: [], documentCount, shown }
  }
  const request = readRequest()
  const { documents, topN, returnDocuments } = request
  const shown = { topN, documents: returnDocuments === true ? documents : undefined }
  const { value, losses } = form.writeRequest(request, model)
  return { body: jsonBody(value), losses, documentCount: documents.length, shown }
}
