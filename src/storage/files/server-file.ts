import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { OperatorError } from '../../canonical/operator-error.ts'
import { lazy } from '../../kit/async/lazy.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { signNonce } from '../../kit/net/nonce-signature.ts'
import type { Random } from '../../kit/random/random.ts'
import { type StagedFile, stagePrivateFile, writePrivateFile } from './write-private-file.ts'

const urlSchema = z.url({ protocol: /^https?$/ })
const schema = z.object({
  pid: z.int().positive(),
  url: urlSchema,
  adminUrl: urlSchema.optional(),
  certificate: z.string().optional(),
  signingKey: z.string().min(1).optional(),
})

/**
 * The server that owns a data folder: its process ID, the addresses at which this machine reaches it for callers and
 * for the admin API, and the SHA-256 of its TLS certificate.
 */
export interface ServerAddress {
  readonly pid: number
  readonly url: string
  /** Undefined where nothing serves the admin API. */
  readonly adminUrl?: string | undefined
  /** The fingerprint, such as `AB:CD:…`; undefined for plain HTTP. */
  readonly certificate?: string | undefined
}

/** A server as its file describes it. The file does not prove that the server still runs. */
export interface NamedServer extends ServerAddress {
  /** The key with which the server proves its identity; undefined in the file of an older version. */
  readonly signingKey?: string | undefined
}

/**
 * `server.json` in the data folder, by which commands find the running server. The file stays when the server is
 * killed; another program may then listen at its address.
 */
export interface ServerFile {
  write(address: ServerAddress): void
  /**
   * Writes the new file under a temporary name, ready to be committed. Undefined where the file has this content
   * already.
   */
  stage(address: ServerAddress): StagedFile | undefined
  /** Undefined where there is no file, or where another version wrote it. */
  read(): NamedServer | undefined
  /** Removes the file, unless another process has written it since. */
  remove(): void
  /** Proves to a reader of the file that this process wrote it. */
  prove(nonce: string): string
}

/** `sharedKey` is the signing key of several processes that are one server. */
export function createServerFile(folder: string, random: Random, sharedKey?: string): ServerFile {
  const path = join(folder, 'server.json')
  // The key belongs to this server only. Otherwise another server could be asked for a proof, which is then passed
  // on.
  const signingKey = lazy(() => sharedKey ?? random.bytes(32).toString('base64url'))
  let ownPid: number | undefined
  const describe = (address: ServerAddress) => {
    ownPid = address.pid
    return `${JSON.stringify({ ...address, signingKey: signingKey() })}\n`
  }
  const read = () => schema.safeParse(tryParseJson(readText() ?? '')).data
  const readText = () => {
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      if (errorCodeOf(cause) === 'ENOENT') return undefined
      throw new OperatorError('file_unreadable', `${path} cannot be read: ${reasonOf(cause)}`, {
        advice: 'give this user the right to read it',
        cause,
      })
    }
  }
  const holds = (text: string) => {
    try {
      return readText() === text
    } catch {
      // A file that cannot be read is replaced. If that fails too, its error gives the reason.
      return false
    }
  }
  const isOthers = () => {
    try {
      const { pid = ownPid } = read() ?? {}
      return pid !== ownPid
    } catch {
      // A file that cannot be read is of no use to commands.
      return false
    }
  }
  return {
    write: (address) => writePrivateFile(path, describe(address)),
    stage(address) {
      const text = describe(address)
      return holds(text) ? undefined : stagePrivateFile(path, text)
    },
    read,
    remove() {
      if (!isOthers()) rmSync(path, { force: true })
    },
    prove: (nonce) => signNonce(signingKey(), nonce),
  }
}

/**
 * The file as a worker has it. The owner answers commands and proves that it wrote the file, so that a worker must not
 * replace it.
 */
export function createWorkerServerFile(folder: string, random: Random): ServerFile {
  const { read, prove } = createServerFile(folder, random)
  return { read, prove, write: () => undefined, stage: () => undefined, remove: () => undefined }
}
