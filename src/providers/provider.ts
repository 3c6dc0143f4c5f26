import type { Failure } from '../canonical/failure.ts'
import type { ChannelFormatId, OperationId } from '../canonical/format.ts'
import type { Channel } from '../catalog/channel.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { BodyShape } from '../wire/body-shape.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { ChannelImages } from '../wire/image-format.ts'
import type { ChannelRerank } from '../wire/rerank-format.ts'
import type { ChannelSpeech } from '../wire/speech-format.ts'
import type { ChannelTranscriptions } from '../wire/transcription-format.ts'
import type { ChannelEmbeddings, UpstreamError } from '../wire/wire-format.ts'
import type { Authorizer, AuthorizerOptions, Machine } from './authorizer.ts'
import type { PriceDeclaration } from './prices/price-declaration.ts'

export type AuthScheme = 'bearer' | 'token' | 'x-api-key' | 'api-key' | 'x-goog-api-key' | 'xi-api-key'

/** A provider as a declaration of its differences. */
export interface Provider {
  readonly id: string
  /** The formats it speaks; the first is used where the channel names none. */
  readonly formats: readonly [ChannelFormatId, ...ChannelFormatId[]]
  /** Absent where the operator must give it, or the settings do. */
  readonly baseUrl?: string
  /** The same where it depends on the value of `credentials`, the first of the settings above all. */
  baseUrlOf?(settings: Readonly<Record<string, string>>): string | undefined
  /** Environment variable whose presence makes a channel of its own when nothing is configured. */
  readonly environmentKey?: string
  /** Another variable that its own client takes a key from, where the first is not set. */
  readonly otherEnvironmentKey?: string
  /** Variables that its own SDKs read a base address from, the first that is set. */
  readonly baseUrlVariables?: readonly string[]
  /** Turns what the SDKs take into a base address of a channel, where the two differ. */
  readBaseUrl?(written: string): string
  /** Whether the variable is often set for other ends, so that its presence alone makes no channel. */
  readonly isKeyShared?: true
  /** The header of the credential: `authorization` for `bearer` and `token`, else the one of this name. */
  readonly auth: AuthScheme
  /** The same by the channel's format, where it differs. */
  readonly authByFormat?: Partial<Record<ChannelFormatId, AuthScheme>>
  /** Makes what authorises the calls of channels without a key; made once, for as long as the process lives. */
  createAuthorizer?(parts: AuthorizerOptions): Authorizer
  /** The authorizer that `createAuthorizer` made; `bindAuthorizers` puts it here. */
  readonly authorizer?: Authorizer
  /** Whether a channel without a credential makes sense. */
  readonly needsKey: boolean
  /** Path below the base address, by format, where it differs from the format's own. */
  readonly paths?: Partial<Record<OperationId | ChannelFormatId, string>>
  /** The path with its query, where the model or the channel's settings are part of it. */
  pathOf?(request: PathRequest): string
  /**
   * The address of an operation that has one of its own; undefined where it lies below the channel's, as all do where
   * the operator gave that.
   */
  originOf?(request: OriginRequest): string | undefined
  /** The difference of a call from its format beside the path; undefined where there is none. */
  shapeOf?(request: ShapeRequest): CallShape | undefined
  /** Classifies an error answer that does not have the shape of the channel's format. Never throws. */
  readError?(answer: UpstreamError): Failure
  /** The settings that `credentials` of a channel may hold besides keys. */
  readonly settings?: readonly ProviderSetting[]
  /** Settings of a channel that cannot work on this machine, missing files apart; undefined where none is found. */
  findSettingFault?(channel: Channel, machine: Machine): Promise<SettingFault | undefined>
  /** The endpoints besides conversations of its formats. */
  readonly endpoints?: Endpoints
  /** Path below the base address that lists models; absent where there is none. */
  readonly modelListPath?: string
  /** The same by the channel's format, where it differs. */
  readonly modelListPathByFormat?: Partial<Record<ChannelFormatId, string>>
  /** Set where the list requires a key, so that it verifies one; absent where it is public or unknown. */
  readonly modelListNeedsKey?: true
  /** The addresses of its model lists and how they are read, where they are not one list below the base address. */
  readonly modelLists?: ModelListFormat
  /** The models that it serves, where nothing lists them. */
  readonly models?: readonly string[]
  /** Whether Headgate itself serves it: the code that starts the simulator gives the channel its base address. */
  readonly isBuiltIn?: true
  /** The way to find a server of this kind on the operator's own machine when nothing is configured. */
  readonly probe?: LocalProbe
  /** The form of the model's upstream names, where they are part of the path and wider than one segment of it. */
  readonly modelNames?: RegExp
  /** The content type of its streams, where they are no server-sent events. */
  readonly streamAccept?: string
  /** Whether it loads a model on demand, which may take longer than other providers' first token. */
  readonly loadsModels?: true
  /** Headers that every request carries, such as a version. */
  readonly headers?: Readonly<Record<string, string>>
  /** Request headers of the caller that go on to the upstream, on top of those of the format. */
  readonly forwardHeaders?: readonly string[]
  /** Headers of its answers that go on to callers of the same format; a `*` at the end matches any rest. */
  readonly answerHeaders?: readonly string[]
  /**
   * Request fields that lead to another model, provider, address or price than the key was granted. A caller of the
   * channel's own format gets 400 `field_not_allowed`, unless the channel's `allow_fields` names the field; a channel
   * of another format never gets it. Written as they are compared, in lower case; a dot leads into a field, and where
   * there is one, underscores do not matter. Empty if the provider's documentation names none.
   */
  readonly steeringFields: readonly string[]
  /** The way to find its models in the price table; absent where it has none there. */
  readonly prices?: PriceDeclaration
  /** Differences in the format, by the upstream's model name, and by the format where it speaks several. */
  dialect(model: string, format?: ChannelFormatId): Dialect
  readonly sources: Sources
}

/** The pages that a declaration's facts come from. */
export interface Sources {
  /** The date of the reading. */
  readonly seen: string
  /** Addresses, each with what it shows in brackets where the address does not say it. */
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
  /** The addresses in the order in which callers see the models. */
  addressesOf(channel: Channel): readonly string[]
  /** Undefined where the answer is no list. Never throws. */
  readNames(body: JsonValue): readonly string[] | undefined
}

export interface ShapeRequest {
  readonly operation: OperationId | ChannelFormatId
  readonly isStream: boolean
  readonly channel: Channel
  /** The caller's headers that go on to the upstream. */
  readonly headers: Readonly<Record<string, string>>
}

export interface CallShape {
  /** The fields of the body where the path names the model. */
  readonly body?: BodyShape
  /** Fields of the provider's own that a written body has beside those of the format. */
  readonly fields?: JsonObject
  /** Headers that replace the caller's. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface ProviderSetting {
  /** The setting's name under `credentials`. */
  readonly name: string
  readonly pattern: RegExp
  /** A description such as "a date, such as 2024-10-21", for the error of a value that does not fit. */
  readonly form: string
  /** Whether a channel without it makes no sense. */
  readonly isRequired?: true
  /** Another setting that this one requires to have an effect. */
  readonly needs?: string
  /** Environment variables that set it without a configuration; the first that is set wins. */
  readonly variables?: readonly string[]
  /** Whether it is the path of a file, relative to the configuration's folder. */
  readonly isFile?: true
}

export interface SettingFault {
  /** The name of the setting. */
  readonly name: string
  readonly message: string
}

/**
 * Operations beside the conversation. What is absent is translated (completions), counted here (tokens) or refused
 * (embeddings).
 */
export interface Endpoints {
  /** Whether prompts can be passed on as they are, by the upstream's model name. */
  completions?(model: string): boolean
  readonly embeddings?: EmbeddingEndpoint
  /** The form in which documents are ranked. */
  readonly rerank?: ChannelRerank
  /** Set where ranking is billed by search units, which an answer may not state. */
  readonly billsSearchUnits?: true
  /** The form in which images are asked for: OpenAI's, as the caller sent it, or the provider's own. */
  readonly images?: 'as-is' | ChannelImages
  /** The same of transcripts; `as-is-whole` where it takes OpenAI's form and streams nothing. */
  readonly transcriptions?: 'as-is' | 'as-is-whole' | ChannelTranscriptions
  /** Set where speech is translated, in OpenAI's form. */
  readonly translations?: 'as-is-whole'
  /** The form in which a text is spoken. */
  readonly speech?: 'as-is' | ChannelSpeech
  /** Whether texts and images can be judged in OpenAI's form. */
  readonly moderations?: true
  /** Set where it has OpenAI's files and batches. */
  readonly batches?: BatchEndpoint
  /** Whether it has Anthropic's files and batches of messages. */
  readonly messageBatches?: true
  /** Whether it has Gemini's files and cached contents. */
  readonly geminiFiles?: true
  /** The realtime sessions, in OpenAI's events. */
  readonly realtime?: RealtimeEndpoint
  /** Gemini's Live sessions. */
  readonly geminiLive?: LiveEndpoint
  /** Whether tokens of a request of the messages format are counted. */
  readonly countsTokens?: true
}

export interface BatchEndpoint {
  /** The path with its query, where it is not the one below the base address. */
  pathOf?(path: string, channel: Channel): string
  /** Set where a file is checked after its upload, so that its status is asked for. */
  readonly checksFiles?: true
}

export interface RealtimeEndpoint {
  /** The path with its query, below the base address. */
  pathOf(target: { readonly channel: Channel; readonly upstreamModel: string }): string
}

export interface LiveEndpoint {
  /** The path below the host. */
  pathOf(target: { readonly channel: Channel; readonly upstreamModel: string }): string
  /** The model as the first message names it. */
  modelOf(target: { readonly channel: Channel; readonly upstreamModel: string }): string
}

export interface EmbeddingEndpoint {
  /** Inputs that one call may hold; more are sent in several calls, one after the other. */
  readonly maxInputs: number
  /** The same where it differs, by the upstream's model name. */
  maxInputsOf?(model: string): number | undefined
  /** Whether `encoding_format: "base64"` is understood; else vectors are asked for as numbers. */
  readonly base64: boolean
  /** The form in which vectors are requested, where the channel's format has none for it. */
  readonly words?: ChannelEmbeddings
}

/** A GET of the path that answers 200 with JSON shows that the server is there. */
export interface LocalProbe {
  /** Environment variable that holds the server's address, if there is one: `host`, `host:port` or an URL. */
  readonly hostVariable?: string
  readonly defaultPort: number
  readonly path: string
  /** The path that turns the server's address into the channel's base address. */
  readonly basePath: string
}

export interface ProviderRegistry {
  find(id: string): Provider | undefined
  readonly ids: readonly string[]
}

export function listsModels({ modelListPath, modelLists }: Provider): boolean {
  return modelListPath !== undefined || modelLists !== undefined
}

/** Headers that authenticate one of our credentials with this provider. */
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
