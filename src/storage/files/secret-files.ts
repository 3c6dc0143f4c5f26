import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../canonical/operator-error.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import type { Random } from '../../kit/random/random.ts'
import { isSecretText, MIN_SECRET_CHARACTERS } from '../../kit/schema/is-secret-text.ts'
import { makeDataFolder } from './make-data-folder.ts'
import { writePrivateFile } from './write-private-file.ts'

/** The secrets of an installation: files in the data folder that only their owner may read. Made when absent. */
export interface SecretFiles {
  /**
   * Returns 32 bytes, which are mixed into every key's digest. Without the pepper no stored key works, so a new
   * pepper may be made only where no key is stored yet. A pepper of the environment is the one that is made, and is
   * also returned where the file is gone. Refuses one that differs from the file.
   */
  pepper(whenAbsent: 'make' | 'refuse'): Buffer
  adminToken(): string
  /** The token for reading the metrics, where they need one. */
  metricsToken(): string
  /** The secret that encrypts values where the environment gives no other. */
  sealingSecret(): string
  /**
   * The secrets that may have encrypted values earlier. One is in the file that an operator moved aside to have a new
   * one made. Where the environment gives the secret, another is the secret that was made before the environment gave
   * one.
   */
  earlierSealingSecrets(isGiven: boolean): readonly string[]
  /** Deletes the file that was moved aside, which is no longer needed. */
  dropEarlierSealingSecret(): void
  /** The admin token if there is one; does not make one. */
  findAdminToken(): string | undefined
  readonly firstKey: FirstKeyFile
  readonly firstOwner: FirstOwnerFile
}

/** Holds the key that a first start made, for the operator to read. */
export interface FirstKeyFile {
  readonly path: string
  write(secret: string): void
  isThere(): boolean
  remove(): void
}

/** Holds the secret of the link by which the first owner signs up, as long as there is no owner. */
export interface FirstOwnerFile extends FirstKeyFile {
  /** Undefined where the file does not exist. */
  read(): string | undefined
}

const PEPPER_BYTES = 32

/** `givenPepper`: the pepper of the environment, as hex digits. */
export function createSecretFiles(folder: string, random: Random, givenPepper?: string): SecretFiles {
  const pepperPath = join(folder, 'pepper')
  const tokenPath = join(folder, 'admin-token')
  const metricsPath = join(folder, 'metrics-token')
  const secretPath = join(folder, 'secret')
  const movedPath = join(folder, 'secret.previous')
  const makeIn = (path: string, text: string): void => {
    if (existsSync(path)) return
    makeDataFolder(folder)
    writePrivateFile(path, `${text}\n`)
  }
  return {
    pepper(whenAbsent) {
      if (whenAbsent === 'refuse' && !existsSync(pepperPath)) {
        if (givenPepper !== undefined) return Buffer.from(givenPepper, 'hex')
        throw new OperatorError('secret_missing', `${pepperPath} is gone`)
      }
      makeIn(pepperPath, givenPepper ?? random.bytes(PEPPER_BYTES).toString('hex'))
      const pepper = readPepper(pepperPath)
      if (givenPepper !== undefined && !pepper.equals(Buffer.from(givenPepper, 'hex')))
        throw refusePepper(pepperPath)
      return pepper
    },
    adminToken() {
      makeIn(tokenPath, random.bytes(32).toString('base64url'))
      return readToken(tokenPath)
    },
    metricsToken() {
      makeIn(metricsPath, random.bytes(32).toString('base64url'))
      return readToken(metricsPath)
    },
    sealingSecret() {
      makeIn(secretPath, random.bytes(32).toString('base64url'))
      return readToken(secretPath, sealingAdvice)
    },
    earlierSealingSecrets: (isGiven) =>
      [movedPath, ...(isGiven ? [secretPath] : [])]
        .filter((path) => existsSync(path))
        .map((path) => readToken(path, sealingAdvice)),
    dropEarlierSealingSecret: () => rmSync(movedPath, { force: true }),
    findAdminToken: () => (existsSync(tokenPath) ? readToken(tokenPath) : undefined),
    firstKey: createPrivateText(folder, 'first-key'),
    firstOwner: createPrivateText(folder, 'first-owner'),
  }
}

function createPrivateText(folder: string, name: string): FirstOwnerFile {
  const path = join(folder, name)
  return {
    path,
    write(secret) {
      makeDataFolder(folder)
      writePrivateFile(path, `${secret}\n`)
    },
    isThere: () => existsSync(path),
    read: () => (existsSync(path) ? readPrivateFile(path) : undefined),
    remove: () => rmSync(path, { force: true }),
  }
}

function readPepper(path: string): Buffer {
  const text = readPrivateFile(path)
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  throw new OperatorError(
    'secret_damaged',
    `${path} is damaged: it must hold ${PEPPER_BYTES * 2} hex digits`,
    { advice: 'restore it from a copy, as without it no key works' },
  )
}

function refusePepper(path: string): OperatorError {
  return new OperatorError('secret_mismatch', `HEADGATE_PEPPER is not the pepper in ${path}`, {
    advice: 'unset it, or set it to that one, as keys are stored with it',
  })
}

function readToken(path: string, advice = 'delete it and a new one is made'): string {
  const text = readPrivateFile(path)
  if (isSecretText(text)) return text
  throw new OperatorError(
    'secret_damaged',
    `${path} is damaged: it must hold ${MIN_SECRET_CHARACTERS} or more printable characters`,
    { advice },
  )
}

/** The advice differs from that for a token, since no other secret opens what is sealed. */
const sealingAdvice =
  'restore it from a copy, as nothing that it sealed can be read without it; if there is none, delete it, and enter the provider keys of the admin API again'

function readPrivateFile(path: string): string {
  const { isExposed, text } = inspectFile(path)
  if (isExposed) {
    throw new OperatorError('secret_exposed', `${path} can be read by others`, {
      advice: `run: chmod 600 ${path}`,
    })
  }
  return text
}

function inspectFile(path: string): { readonly isExposed: boolean; readonly text: string } {
  try {
    const isExposed = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0
    return { isExposed, text: isExposed ? '' : readFileSync(path, 'utf8').trim() }
  } catch (cause) {
    throw new OperatorError('file_unreadable', `${path} cannot be read: ${reasonOf(cause)}`, {
      advice: 'make it a file that belongs to the user of the server, and that no other can read',
      cause,
    })
  }
}
