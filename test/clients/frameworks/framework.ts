import type { FormatId } from '../../../src/canonical/format.ts'

/**
 * A library with which programs ask models, used as its own documentation says. Each is one file here whose default
 * export this is, and one line in `framework-names.ts`.
 */
export interface Framework {
  /** The format in which it asks. */
  readonly format: FormatId | 'ollama-chat'
  /** The scenarios that it cannot do, with the reason. */
  readonly without?: Readonly<Record<string, string>>
  connect(connection: Connection): FrameworkClient
}

export interface Connection {
  /** Without a slash or a path at its end. */
  readonly gatewayUrl: string
  readonly key: string
  readonly model: string
}

/** The same few things with every library. Whatever fails is thrown as the library throws it. */
export interface FrameworkClient {
  ask(prompt: string): Promise<FrameworkAnswer>
  /** Asks about a picture, with words for the system besides. */
  askAboutPicture(question: PictureQuestion): Promise<string>
  stream(prompt: string, watch: StreamWatch): Promise<FrameworkAnswer>
  /** Lets the model look cities up until it gives a text without calling tools. */
  useTool(prompt: string, use: ToolUse): Promise<string>
  /** Asks for an answer that must be `{ city, degrees }`, and returns what the library made of it. */
  askForReport(prompt: string): Promise<unknown>
  embed?(texts: string[]): Promise<readonly (readonly number[])[]>
}

export interface FrameworkAnswer {
  readonly text: string
  /** The usage that the library states; undefined where it states none, or is known to count otherwise. */
  readonly usage: FrameworkUsage | undefined
}

/** Tokens; those that came from a cache are a part of the input. */
export interface FrameworkUsage {
  readonly input: number
  readonly output: number
}

export interface PictureQuestion {
  readonly system: string
  readonly prompt: string
  /** A PNG as base64. */
  readonly png: string
}

export interface StreamWatch {
  onText(text: string): void
  readonly signal: AbortSignal
}

export interface ToolUse {
  readonly isStream: boolean
  /** Carries out the tool `look_up`. */
  lookUp(city: string): string
}
