import type { Failure } from '../canonical/failure.ts'
import type { ChannelFormatId, OperationId } from '../canonical/format.ts'
import type { Channel } from '../catalog/channel.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { BodyShape } from '../wire/body-shape.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { ChannelImages } from '../wire/operations/image-format.ts'
import type { ChannelRerank } from '../wire/operations/rerank-format.ts'
import type { ChannelSpeech } from '../wire/operations/speech-format.ts'
import type { ChannelTranscriptions } from '../wire/operations/transcription-format.ts'
import type { ChannelEmbeddings, UpstreamError } from '../wire/wire-format.ts'
import type { Authorizer, AuthorizerOptions, Machine } from './authorizer.ts'
import type { PriceDeclaration } from './prices/price-declaration.ts'

export type AuthScheme = 'bearer' | 'token' | 'x-api-key' | 'api-key' | 'x-goog-api-key' | 'xi-api-key'

/** A provider, declared by its differences from the defaults. */
export interface Provider {
  readonly id: string
  /** The formats that it speaks. The first one is used where the channel names none. */
  readonly formats: readonly [ChannelFormatId, ...ChannelFormatId[]]
  /** Absent where the operator must give the address, or where the settings determine it. */
  readonly baseUrl?: string
  /** Computes the base address from the values in `credentials`, mainly from the first of `settings`. */
  baseUrlOf?(settings: Readonly<Record<string, string>>): string | undefined
  /** The environment variable of the key. Where nothing is configured, its presence creates a channel. */
  readonly environmentKey?: string
  /** Another variable from which the provider's own client reads a key, where the first one is not set. */
  readonly otherEnvironmentKey?: string
  /** Variables from which the provider's own SDKs read a base address. The first that is set applies. */
  readonly baseUrlVariables?: readonly string[]
  /** Converts the SDKs' base address to a channel's base address, where the two differ. */
  readBaseUrl?(written: string): string
  /** Whether the variable is often set for other purposes, so that its presence alone creates no channel. */
  readonly isKeyShared?: true
  /** The header of the credential: `authorization` for `bearer` and `token`, else the header with this name. */
  readonly auth: AuthScheme
  /** The header of the credential by the channel's format, where it differs. */
  readonly authByFormat?: Partial<Record<ChannelFormatId, AuthScheme>>
  /** Makes the authorizer for channels without a key. Called once for the life of the process. */
  createAuthorizer?(options: AuthorizerOptions): Authorizer
  /** The authorizer that `createAuthorizer` made. Set by `bindAuthorizers`. */
  readonly authorizer?: Authorizer
  /** Whether a channel must have a credential. */
  readonly needsKey: boolean
  /** The path below the base address, by format, where it differs from the format's own path. */
  readonly paths?: Partial<Record<OperationId | ChannelFormatId, string>>
  /** The path with its query, where it contains the model or the channel's settings. */
  pathOf?(request: PathRequest): string
  /**
   * The origin of an operation that has its own. Undefined where the operation uses the channel's address, which all
   * operations do if the operator set the address.
   */
  originOf?(request: OriginRequest): string | undefined
  /** The differences of a call from its format, besides the path. Undefined where there are none. */
  shapeOf?(request: ShapeRequest): CallShape | undefined
  /** Classifies an error answer that lacks the shape of the channel's format. Never throws. */
  readError?(answer: UpstreamError): Failure
  /** The settings that `credentials` of a channel may hold besides keys. */
  readonly settings?: readonly ProviderSetting[]
  /**
   * Finds a setting of a channel that cannot work on this machine. Missing files are not checked. Undefined where no
   * fault is found.
   */
  findSettingFault?(channel: Channel, machine: Machine): Promise<SettingFault | undefined>
  /** The endpoints of operations other than its formats' conversations. */
  readonly endpoints?: Endpoints
  /** The path below the base address that lists models. Absent where there is no list. */
  readonly modelListPath?: string
  /** The path that lists models by the channel's format, where it differs. */
  readonly modelListPathByFormat?: Partial<Record<ChannelFormatId, string>>
  /**
   * Set where the model list requires a key, so that a request for it verifies the key. Absent where the list is public
   * or this is unknown.
   */
  readonly modelListNeedsKey?: true
  /**
   * The addresses of its model lists and how they are read, where there is not a single list below the base address.
   */
  readonly modelLists?: ModelListFormat
  /** The models that it serves, where no list is available. */
  readonly models?: readonly string[]
  /** Whether Headgate itself serves it. The code that starts the simulator sets the channel's base address. */
  readonly isBuiltIn?: true
  /** The probe that finds a server of this kind on the operator's own machine when nothing is configured. */
  readonly probe?: LocalProbe
  /** The form of the model's upstream names, where they are part of the path and may be longer than one segment. */
  readonly modelNames?: RegExp
  /** The content type of its streams, where they are not server-sent events. */
  readonly streamAccept?: string
  /** Whether it loads a model on demand, which may delay the first token longer than other providers do. */
  readonly loadsModels?: true
  /** Headers that every request has, such as a version. */
  readonly headers?: Readonly<Record<string, string>>
  /** The caller's request headers that are forwarded to the upstream, in addition to those of the format. */
  readonly forwardHeaders?: readonly string[]
  /** Headers of its answers that are forwarded to callers of the same format. A `*` at the end matches any rest. */
  readonly answerHeaders?: readonly string[]
  /**
   * Request fields that select another model, provider, address or price than the key was granted. A caller of the
   * channel's own format gets 400 `field_not_allowed`, unless the channel's `allow_fields` names the field. A channel
   * of another format never receives the field. The names are in the form in which they are compared: in lower case,
   * with a dot before each inner field, and with underscores ignored in names that have a dot. Empty if the provider's
   * documentation names no such field.
   */
  readonly steeringFields: readonly string[]
  /** The way to find its models in the price table. Absent where the table has none of them. */
  readonly prices?: PriceDeclaration
  /** The differences in the format, by the upstream's model name, and by the format where it speaks several. */
  dialect(model: string, format?: ChannelFormatId): Dialect
  readonly sources: Sources
}

/** The pages from which a declaration's facts come. */
export interface Sources {
  /** The date on which the pages were read. */
  readonly seen: string
  /** The addresses. An address that does not show its topic has it in brackets. */
  readonly pages: readonly [string, ...string[]]
}

export interface OriginRequest {
  readonly operation: OperationId
  readonly channel: Channel
}

export interface PathRequest {
  readonly operation: OperationId | ChannelFormatId
  /** The operation's path, such as `/chat/completions`. */
  readonly path: string
  readonly isStream: boolean
  readonly upstreamModel: string
  readonly channel: Channel
}

export interface ModelListFormat {
  /** The addresses of the lists, in the order in which callers see the models. */
  addressesOf(channel: Channel): readonly string[]
  /** Reads the model names. Undefined where the answer is not a list. Never throws. */
  readNames(body: JsonValue): readonly string[] | undefined
}

export interface ShapeRequest {
  readonly operation: OperationId | ChannelFormatId
  readonly channel: Channel
  /** The caller's headers that are forwarded to the upstream. */
  readonly headers: Readonly<Record<string, string>>
}

export interface CallShape {
  /** The fields of the body where the path names the model. */
  readonly body?: BodyShape
  /** The provider's own fields that are added to those of the format. */
  readonly fields?: JsonObject
  /** Headers that replace the caller's headers. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface ProviderSetting {
  /** The setting's name under `credentials`. */
  readonly name: string
  readonly pattern: RegExp
  /** A description such as "a date, such as 2024-10-21", for the error about an invalid value. */
  readonly form: string
  /** Whether a channel must have this setting. */
  readonly isRequired?: true
  /** Another setting that this one requires to have an effect. */
  readonly needs?: string
  /** Environment variables that set it without a configuration. The first that is set wins. */
  readonly variables?: readonly string[]
  /** Whether it is a file path, relative to the configuration's folder. */
  readonly isFile?: true
}

export interface SettingFault {
  /** The name of the setting. */
  readonly name: string
  readonly message: string
}

/**
 * Operations besides the conversation. An absent operation is translated (completions), counted here (tokens) or
 * refused (embeddings).
 */
export interface Endpoints {
  /** Whether prompts can be passed on unchanged, by the upstream's model name. */
  completions?(model: string): boolean
  readonly embeddings?: EmbeddingEndpoint
  /** The format of rerank requests. */
  readonly rerank?: ChannelRerank
  /** Set where reranking is billed by search units, which an answer may not state. */
  readonly billsSearchUnits?: true
  /** The format of image requests: OpenAI's, as the caller sent it, or the provider's own. */
  readonly images?: 'as-is' | ChannelImages
  /** The format of transcription requests. `as-is-whole` is OpenAI's form without streaming. */
  readonly transcriptions?: 'as-is' | 'as-is-whole' | ChannelTranscriptions
  /** Set where audio is translated, in OpenAI's form. */
  readonly translations?: 'as-is-whole'
  /** The format of speech requests. */
  readonly speech?: 'as-is' | ChannelSpeech
  /** Whether moderations of texts and images are available in OpenAI's form. */
  readonly moderations?: true
  /** Set where OpenAI's files and batches are available. */
  readonly batches?: BatchEndpoint
  /** Whether Anthropic's files and message batches are available. */
  readonly messageBatches?: true
  /** Whether Gemini's files and cached contents are available. */
  readonly geminiFiles?: true
  /** The endpoint of realtime sessions, in OpenAI's events. */
  readonly realtime?: RealtimeEndpoint
  /** The endpoint of Gemini's Live sessions. */
  readonly geminiLive?: LiveEndpoint
  /** Whether the tokens of a request in the messages format can be counted. */
  readonly countsTokens?: true
}

export interface BatchEndpoint {
  /** The path with its query, where it is not directly below the base address. */
  pathOf?(path: string, channel: Channel): string
  /** Set where the provider checks a file after its upload, so that its status must be polled. */
  readonly checksFiles?: true
}

export interface RealtimeEndpoint {
  /** The path with its query, below the base address. */
  pathOf(target: { readonly channel: Channel; readonly upstreamModel: string }): string
}

export interface LiveEndpoint {
  /** The path below the host. */
  pathOf(target: { readonly channel: Channel; readonly upstreamModel: string }): string
  /** The model name for the session's first message. */
  modelOf(target: { readonly channel: Channel; readonly upstreamModel: string }): string
}

export interface EmbeddingEndpoint {
  /** The limit of inputs in one call. More inputs are sent in several calls, one after the other. */
  readonly maxInputs: number
  /** The limit of inputs by the upstream's model name, where it differs. */
  maxInputsOf?(model: string): number | undefined
  /** Whether `encoding_format: "base64"` is supported. Without it, vectors are requested as numbers. */
  readonly base64: boolean
  /** The format of embedding requests, where the channel's format has none. */
  readonly format?: ChannelEmbeddings
}

/** The check for a local server: a GET of the path that returns 200 with JSON shows that the server is running. */
export interface LocalProbe {
  /** The environment variable with the server's address, if there is one: `host`, `host:port` or a URL. */
  readonly hostVariable?: string
  readonly defaultPort: number
  readonly path: string
  /** The path to append to the server's address for the channel's base address. */
  readonly basePath: string
}

export interface ProviderRegistry {
  find(id: string): Provider | undefined
  readonly ids: readonly string[]
}

export function listsModels({ modelListPath, modelLists }: Provider): boolean {
  return modelListPath !== undefined || modelLists !== undefined
}

/** Makes the headers that authenticate one of our credentials with this provider. */
export function authHeaders(
  provider: Provider,
  channel: Channel,
  credentialSecret: string | undefined,
): Record<string, string> {
  if (credentialSecret === undefined) return { ...channel.headers }
  const scheme = provider.authByFormat?.[channel.format] ?? provider.auth
  if (scheme === 'bearer') return { authorization: `Bearer ${credentialSecret}`, ...channel.headers }
  if (scheme === 'token') return { authorization: `Token ${credentialSecret}`, ...channel.headers }
  return { [scheme]: credentialSecret, ...channel.headers }
}
