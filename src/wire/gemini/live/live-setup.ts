import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { camelCase, fieldOf, refuseFiles } from './live-fields.ts'

/** The first message of a Live session. */
export interface LiveSetup {
  /** The public name, without its collection. */
  readonly model: string
  /** The cap on the output tokens of each response, if the caller sets one. */
  readonly maxOutputTokens: number | undefined
  /** Whether the setup names tools that the provider runs and bills. */
  readonly hasBilledTools: boolean
  readonly fields: JsonObject
}

/**
 * The fields of a setup that the gateway forwards, each in both spellings of proto JSON
 * (https://ai.google.dev/api/live#BidiGenerateContentSetup, seen 2026-11-25). Other fields could give access to objects
 * that another key owns.
 */
const served: ReadonlySet<string> = new Set([
  'model',
  'generationConfig',
  'systemInstruction',
  'tools',
  'realtimeInputConfig',
  'contextWindowCompression',
  'inputAudioTranscription',
  'outputAudioTranscription',
  'proactivity',
  'historyConfig',
  'explicitVadSignal',
  'safetySettings',
  'sessionResumption',
])

/** Reads the first message of a caller. Throws `GatewayError` if it is not a setup that the gateway serves. */
export function readLiveSetup(message: JsonObject | undefined): LiveSetup {
  const setup = message?.['setup']
  if (!isJsonObject(setup))
    throw new GatewayError('missing_field', {
      param: 'setup',
      message: 'The first message of a Live session must be {"setup": {"model": …}}.',
    })
  const { model } = setup
  if (typeof model !== 'string' || model === '')
    throw new GatewayError('missing_field', { param: 'setup.model' })
  for (const name of Object.keys(setup)) {
    if (served.has(camelCase(name))) continue
    const param = `setup.${name.slice(0, 64)}`
    throw new GatewayError('invalid_field', { param, message: `The field "${param}" is not served here.` })
  }
  const resumption = fieldOf(setup, 'sessionResumption')
  if (isJsonObject(resumption) && resumption['handle'] !== undefined)
    throw new GatewayError('invalid_field', {
      param: 'setup.sessionResumption.handle',
      message: 'Live sessions cannot be resumed here: a handle names no key. Begin a new session.',
    })
  refuseFiles(setup)
  return {
    model: model.replace(/^models\//, ''),
    maxOutputTokens: readMaxOutput(setup),
    hasBilledTools: namesBilledTools(setup),
    fields: setup,
  }
}

/** The setup for the provider, with the provider's name for the model and the output cap, if there is one. */
export function writeLiveSetup(
  { fields }: LiveSetup,
  { model, maxOutputTokens }: { readonly model: string; readonly maxOutputTokens: number | undefined },
): JsonObject {
  const { sessionResumption: _camel, session_resumption: _snake, ...setup } = fields
  if (maxOutputTokens === undefined) return { setup: { ...setup, model } }
  const { generationConfig, generation_config, ...others } = setup
  const config = generationConfig ?? generation_config
  const { maxOutputTokens: _max, max_output_tokens: _other, ...wishes } = isJsonObject(config) ? config : {}
  return { setup: { ...others, model, generationConfig: { ...wishes, maxOutputTokens } } }
}

function readMaxOutput(setup: JsonObject): number | undefined {
  const config = fieldOf(setup, 'generationConfig')
  const max = isJsonObject(config) ? fieldOf(config, 'maxOutputTokens') : undefined
  if (max === undefined) return undefined
  if (typeof max === 'number' && Number.isInteger(max) && max > 0) return max
  throw new GatewayError('invalid_field', {
    param: 'setup.generationConfig.maxOutputTokens',
    message: 'The field "setup.generationConfig.maxOutputTokens" must be a whole number above 0.',
  })
}

/** Functions are the caller's own; the provider runs and bills all other tools. */
function namesBilledTools({ tools }: JsonObject): boolean {
  if (tools === undefined) return false
  if (!Array.isArray(tools)) return true
  const isOwn = (name: string) => camelCase(name) === 'functionDeclarations'
  return tools.some((tool) => !isJsonObject(tool) || !Object.keys(tool).every(isOwn))
}
