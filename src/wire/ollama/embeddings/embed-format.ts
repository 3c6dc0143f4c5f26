import type { EmbeddingReply, EmbeddingRequest } from '../../../canonical/embedding.ts'
import type { OperationId } from '../../../canonical/format.ts'
import { inputTokensOf } from '../../../canonical/usage.ts'
import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { type FieldTable, leftoversOf } from '../../fields/field-table.ts'
import { invalidField, readInteger, requireString } from '../../fields/read-field.ts'
import { toNumbers } from '../../fields/vectors.ts'
import type { EmbeddingFormat } from '../../operations/embedding-format.ts'
import { termsWithoutOutput } from '../../spending-terms.ts'
import { noChannel, refuseChannel } from '../../verbatim/no-channel.ts'
import { scanBody } from '../../verbatim/scan-body.ts'
import { ollamaFrames } from '../format.ts'
import { usagePath } from '../reply/write-end.ts'
import { toExtras } from '../values/extras.ts'
import { otherNameOf } from '../values/other-name-of.ts'

interface EmbedOperation {
  readonly id: OperationId
  readonly fields: FieldTable
  /** The field that holds the input. */
  readonly input: string
  readInputs(value: JsonValue | undefined): readonly string[]
  writeVectors(vectors: readonly (readonly number[])[], reply: EmbeddingReply): JsonObject
}

/** Ollama's embeddings (https://docs.ollama.com/api/embed, seen 2026-11-25). */
export const ollamaEmbedFormat = createFormat({
  id: 'ollama-embed',
  fields: {
    dimensions: 'named',
    input: 'named',
    keep_alive: 'extras',
    model: 'named',
    options: 'extras',
    truncate: 'extras',
  },
  input: 'input',
  readInputs(value) {
    const texts = typeof value === 'string' ? [value] : isJsonArray(value) ? value : []
    if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts
    throw invalidField('input', 'a text, or an array of texts that is not empty')
  },
  writeVectors: (vectors, { model, usage }) =>
    omitUndefined({
      model,
      embeddings: vectors,
      prompt_eval_count: usage === undefined ? undefined : inputTokensOf(usage),
    }),
})

/** The older operation `/api/embeddings` for a single text, which the official client still supports. */
export const ollamaEmbeddingsFormat = createFormat({
  id: 'ollama-embeddings',
  fields: { keep_alive: 'extras', model: 'named', options: 'extras', prompt: 'named' },
  input: 'prompt',
  readInputs(value) {
    if (typeof value === 'string' && value !== '') return [value]
    throw invalidField('prompt', 'a text that is not empty')
  },
  writeVectors: ([vector = []]) => ({ embedding: vector }),
})

function createFormat({ id, fields, input, readInputs, writeVectors }: EmbedOperation): EmbeddingFormat {
  const watched: ReadonlySet<string> = new Set(Object.keys(fields))
  const { path, forwardedHeaders, spliceRequest, watchReply, readError } = noChannel
  return {
    id,
    kind: 'embedding',
    family: 'ollama',
    path,
    forwardedHeaders,
    spliceRequest,
    watchReply,
    readError,
    scanRequest: (body: BodyBytes) => scanBody(body, watched),
    otherNameOf,
    readSpendingTerms: () => termsWithoutOutput,
    readCallerLabels: () => ({ endUser: undefined, tags: {} }),
    readRequest: (body): EmbeddingRequest =>
      omitUndefined({
        model: requireString(body, 'model', ''),
        inputs: readInputs(body[input]).map((text) => ({ type: 'text' as const, text })),
        dimensions: readInteger(body, 'dimensions', { path: '', min: 1 }),
        // The format has only vectors of numbers, no other encoding.
        encoding: 'float' as const,
        ...toExtras(leftoversOf(body, fields)),
      }),
    writeRequest: refuseChannel,
    readReply: refuseChannel,
    writeReply: (reply) => writeVectors(reply.vectors.map(toNumbers), reply),
    usagePath,
    paramOf: ({ field }) => field ?? input,
    ...ollamaFrames,
  }
}
