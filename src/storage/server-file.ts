import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../kit/parse-json.ts'
import { type StagedFile, stagePrivateFile, writePrivateFile } from './write-private-file.ts'

const urlSchema = z.url({ protocol: /^https?$/ })
const schema = z.object({
  pid: z.int().positive(),
  url: urlSchema,
  adminUrl: urlSchema.optional(),
  certificate: z.string().optional(),
})

/**
 * The server that owns a data folder: its process, where callers and the admin API reach it from this machine, and the
 * SHA-256 of the certificate that it shows.
 */
export interface ServerAddress {
  readonly pid: number
  readonly url: string
  /** Undefined where nothing serves the admin API. */
  readonly adminUrl?: string | undefined
  /** Such as `AB:CD:…`; undefined for plain http. */
  readonly certificate?: string | undefined
}

/** `server.json` in the data folder, by which commands find the running server. It outlives a killed server. */
export interface ServerFile {
  write(address: ServerAddress): void
  /** Writes it so far that only its name is wanting; undefined where the file says so already. */
  stage(address: ServerAddress): StagedFile | undefined
  /** Undefined where there is no file, or none that can be read. */
  read(): ServerAddress | undefined
  remove(): void
}

export function createServerFile(folder: string): ServerFile {
  const path = join(folder, 'server.json')
  const readText = () => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  }
  return {
    write: (address) => writePrivateFile(path, writeAddress(address)),
    stage(address) {
      const text = writeAddress(address)
      return readText() === text ? undefined : stagePrivateFile(path, text)
    },
    read() {
      try {
        return schema.parse(parseJson(readText() ?? ''))
      } catch {
        return undefined
      }
    },
    remove: () => rmSync(path, { force: true }),
  }
}

function writeAddress(address: ServerAddress): string {
  return `${JSON.stringify(address)}\n`
}
