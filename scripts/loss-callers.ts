import type { FormatId } from '../src/canonical/format.ts'
import type { LossFeature } from '../src/canonical/loss.ts'
import type { ChatRequest } from '../src/canonical/request.ts'
import type { JsonObject } from '../src/kit/json/json.ts'
import { chatFormat } from '../src/wire/chat/format.ts'
import { bedrockConverseFormat } from '../src/wire/converse/caller-format.ts'
import { converseFormat } from '../src/wire/converse/format.ts'
import { answerLosses } from '../src/wire/converse/request/caller-losses.ts'
import { type Dialect, defaultDialect } from '../src/wire/dialect.ts'
import { geminiFormat } from '../src/wire/gemini/format.ts'
import { messagesFormat } from '../src/wire/messages/format.ts'
import { ollamaChatFormat } from '../src/wire/ollama/format.ts'
import { possibleLosses as ollamaLosses } from '../src/wire/ollama/request/possible-losses.ts'
import { responsesFormat } from '../src/wire/responses/format.ts'
import type { ConversationFormat, WireFormat } from '../src/wire/wire-format.ts'
import { writeOllamaRequest } from './write-ollama-request.ts'

/** A format of callers whose losses are tried. */
export interface LossCaller extends Pick<ConversationFormat, 'readRequest' | 'writeReply' | 'paramOf'> {
  /** The name in the tables. */
  readonly id: string
  /** The format whose own fields its requests may have. */
  readonly owner: FormatId | undefined
  /** The channels onto which nothing is translated. */
  readonly ownChannel: string | undefined
  readonly possibleLosses: readonly LossFeature[]
  /** A request in the words of the caller. */
  writeRequest(request: ChatRequest): JsonObject
}

/** A channel that says all that its format can say. */
const fullDialect: Dialect = {
  ...defaultDialect,
  customTools: true,
  cacheMarks: true,
  acceptsTopK: true,
  reasoning: 'effort',
  reasoningReplay: 'reasoning_details',
  documents: 'file-or-url',
}

const converseDialect: Dialect = {
  ...fullDialect,
  converseModel: { reasoning: 'thinking', topK: 'top_k', searchResults: true },
}

/** Requests of Converse are translated for channels of Converse as well. */
export const lossCallers: readonly LossCaller[] = [
  ...[chatFormat, messagesFormat, responsesFormat, geminiFormat].map(ofBothSides),
  {
    ...bedrockConverseFormat,
    id: 'converse',
    owner: undefined,
    ownChannel: undefined,
    possibleLosses: answerLosses,
    writeRequest: (request) =>
      converseFormat.writeRequest(request, { model: 'm', dialect: converseDialect }).value,
  },
  {
    ...ollamaChatFormat,
    id: 'ollama',
    owner: undefined,
    ownChannel: undefined,
    possibleLosses: ollamaLosses,
    writeRequest: writeOllamaRequest,
  },
]

function ofBothSides(format: WireFormat): LossCaller {
  return {
    ...format,
    owner: format.id,
    ownChannel: format.id,
    writeRequest: (request) => format.writeRequest(request, { model: 'm', dialect: fullDialect }).value,
  }
}
