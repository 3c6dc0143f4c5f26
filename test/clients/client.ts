import type { FormatId } from '../../src/canonical/format.ts'

/**
 * A real program that callers use, run without a person. Each is one file here, one line in `clients.ts` and a folder
 * of its name with a package.json and a lockfile of its own, so that only this suite installs it.
 */
export interface Client {
  readonly name: string
  /** The folder of its packages, where that is not one of its name. */
  readonly folder?: string
  /** The formats in which it can ask. */
  readonly formats: readonly FormatId[]
  run(job: ClientJob): Promise<ClientOutcome>
}

export interface ClientJob {
  readonly format: FormatId
  /** Without a slash or a path at its end. */
  readonly gatewayUrl: string
  readonly key: string
  readonly model: string
  readonly prompt: string
  /** The folder in which the client works and whose files it reads. */
  readonly workspace: string
  /** An empty home folder, so that nothing of the machine's user is read or changed. */
  readonly home: string
  /** The `node_modules` of the client's own folder. */
  readonly packages: string
  /** Aborts when the client is to be ended at once, in the middle of what it does. */
  readonly signal: AbortSignal
}

export interface ClientOutcome {
  /** The problems as the client sees them; empty where it ended well. */
  readonly problems: readonly string[]
  /** The usage of all steps by the client's count; undefined where it has none. */
  readonly usage: ClientUsage | undefined
  /** All that a person would have seen of it. */
  readonly shown: string
}

export interface ClientUsage {
  /** All tokens that went in, those of caches among them. */
  readonly input: number
  readonly output: number
  /** Undefined where the client does not tell them apart. */
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
}
