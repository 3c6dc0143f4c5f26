import { GatewayError } from '../../../canonical/failure.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readBoolean, readString, requireString } from '../../fields/read-field.ts'
import { limitSchemaSize } from '../../limit-schema-size.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { readGenerationConfig } from './read-generation-config.ts'
import { readMessages } from './read-messages.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import { pathFields, requestFields } from './request-fields.ts'

const known = knownFields(requestFields, pathFields)

/**
 * Reads a request body. Throws `GatewayError` with the invalid `param`. The model that answers checks ranges. `model`
 * and `stream` are in the body, copied from the path.
 */
export function readRequest(source: JsonObject): ChatRequest {
  return runToEnd(readRequestInSteps(source))
}

export function* readRequestInSteps(source: JsonObject): Steps<ChatRequest> {
  const body = withOwnNames(source, requestFields)
  refuseCachedContent(body)
  const { choice, unread } = readToolChoice(body)
  const config = readGenerationConfig(body)
  const read = omitUndefined({
    model: requireString(body, 'model', ''),
    turns: yield* readMessages(body),
    stream: readBoolean(body, 'stream', '') ?? false,
    tools: readTools(body),
    toolChoice: choice,
    ...config.fields,
    serviceTier: readString(body, 'serviceTier', ''),
    ...toExtras(leftoversOf(body, known), { toolConfig: unread, generationConfig: config.unread }),
  })
  return limitSchemaSize(read, { tools: 'tools', output: 'generationConfig.responseJsonSchema' })
}

/** Refuses cached content, which the provider stores. Only channels of this format can serve it, untranslated. */
function refuseCachedContent(body: JsonObject): void {
  if ((body['cachedContent'] ?? '') === '') return
  throw new GatewayError('cannot_be_carried', {
    param: 'cachedContent',
    message:
      '"cachedContent" points to what a provider keeps, and the channel for this model keeps nothing. Leave it out and send the words themselves in "contents" and "systemInstruction".',
  })
}
