import type { ChatRequest } from '../../canonical/request.ts'
import { lazy } from '../../kit/async/lazy.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Random } from '../../kit/random/random.ts'
import { MAX_RESPONSE_BYTES, type StoredResponses } from '../../stored-answers/stored-responses.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import { readBoolean } from '../../wire/verbatim/scan-body.ts'
import { createCallerWriter } from '../exchange/create-caller-writer.ts'
import type { ConversationExchange } from '../exchange/exchange.ts'
import type { PriorState } from '../exchange/prior-state.ts'
import { openReading } from '../exchange/read-in-turns.ts'
import { ResponseRecorder } from '../exchange/response-recorder.ts'
import { ShownTranscript } from '../exchange/shown-transcript.ts'
import type { ItemGroup } from '../exchange/stored-conversation.ts'
import { findBeside, recordIn } from './conversation-memory.ts'
import { findPriorState, readPreviousId } from './find-prior-state.ts'
import { MAX_LINKS } from './read-chain.ts'
import { makeResponseId } from './response-ids.ts'

export interface StoredExchangeOptions {
  readonly storedResponses: StoredResponses
  readonly random: Random
  readonly clock: { nowMs(): number }
}

/** The maximum size of an input that is stored. Its content and its answer may double in JSON. */
const MAX_STORED_INPUT_BYTES = MAX_RESPONSE_BYTES / 2

/**
 * Opens a request in the responses format: looks up the answers to which the request refers, and prepares the recording
 * of its own answer if the caller and the operator allow that.
 */
export async function openStoredExchange(
  exchange: ConversationExchange,
  options: StoredExchangeOptions,
): Promise<ConversationExchange> {
  const { scanned, callerRequest, format, showsCost } = exchange
  const previousId = readPreviousId(scanned)
  const { caller, memory } = callerRequest
  const { keyId } = caller
  // Other requests about stored responses go only to the provider that stores the responses.
  const isAnswered = format.path === responsesFormat.path
  const stored = options.storedResponses
  const responses = memory === undefined ? stored : findBeside(memory, stored)
  const prior = await findPriorState({ scanned, keyId, responses, previousId, mayRestore: isAnswered })
  const recorder = isAnswered ? openRecorder(exchange, options, { previousId, prior }) : undefined
  const form = recorder?.form
  const opened: ConversationExchange = { ...exchange, prior, recorder }
  const transcript =
    exchange.transcript === undefined
      ? undefined
      : new ShownTranscript(
          createCallerWriter({
            format,
            scanned,
            requestId: callerRequest.requestId,
            recorder,
            isSparse: true,
            showsCost,
          }),
        )
  if (form === undefined) return { ...opened, transcript }
  // The gateway itself stores the answer, so no channel is asked to store it.
  const { read: readRequests, readSteps } = openReading(scanned, (body) => readUnstored(body, format))
  return { ...opened, transcript, readRequests, readSteps }
}

function* readUnstored(
  body: JsonObject,
  format: ConversationExchange['format'],
): Steps<readonly ChatRequest[]> {
  return [yield* format.readRequestInSteps({ ...body, store: undefined })]
}

interface Referred {
  readonly previousId: string | undefined
  readonly prior: PriorState | undefined
}

/**
 * Opens the recorder of the answer; undefined where the caller wants nothing stored and the connection has no memory.
 */
function openRecorder(
  { scanned, callerRequest, route }: ConversationExchange,
  { storedResponses, random, clock }: StoredExchangeOptions,
  { previousId, prior }: Referred,
): ResponseRecorder | undefined {
  const { memory } = callerRequest
  const isVolatile = readBoolean(scanned.body, scanned.fields.get('store'), 'store') === false
  if (isVolatile && memory === undefined) return undefined
  const responses = isVolatile && memory !== undefined ? recordIn(memory) : storedResponses
  const { policy } = responses
  const maxBytes = Math.min(MAX_STORED_INPUT_BYTES, (policy?.maxBytes ?? 0) / 2)
  const isStored = policy !== undefined && callerRequest.body.length <= maxBytes
  const form = isStored
    ? { id: makeResponseId(random), previousResponseId: previousId, isVolatile }
    : undefined
  const continued = prior?.type === 'restorable' || prior?.type === 'owner-only' ? prior : undefined
  const chain = continued?.chain ?? []
  // A long chain starts again, unless parts of it are missing. A response in a connection's memory is never a link of a
  // chain.
  const mayLink =
    !isVolatile && chain.length < MAX_LINKS && chain.every((id) => memory?.find(id) === undefined)
  const isLinked = prior?.type !== 'restorable' || mayLink
  const unlinked = isLinked ? [] : prior.before
  return new ResponseRecorder({
    responses,
    hasOwner: !isVolatile,
    nowMs: () => clock.nowMs(),
    form,
    row: {
      keyId: callerRequest.caller.keyId,
      askedName: route.publicName,
      previousId: isLinked ? previousId : undefined,
      links: isLinked ? chain.length : 0,
    },
    before: isLinked ? chain : [],
    writeGroups: lazy(() => writeGroups(scanned, unlinked, continued?.resolvedInput)),
  })
}

/** The input to store, as JSON: the earlier items that no chain contains, and the request's own items. */
function writeGroups(
  scanned: ConversationExchange['scanned'],
  before: readonly ItemGroup[],
  resolvedInput: readonly ItemGroup[] | undefined,
): string {
  const field = scanned.fields.get('input')
  const input = field === undefined ? '[]' : scanned.body.textOf(field)
  const added = resolvedInput === undefined ? `[{"items":${input}}]` : JSON.stringify(resolvedInput)
  return before.length === 0 ? added : `${JSON.stringify(before).slice(0, -1)},${added.slice(1)}`
}
