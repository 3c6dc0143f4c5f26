import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../kit/parse-json.ts'
import { writePrivateFile } from './write-private-file.ts'

const schema = z.object({ pid: z.int().positive(), adminUrl: z.url({ protocol: /^https?$/ }) })

/** The server that owns a data folder: its process and where its admin API listens. */
export type ServerAddress = Readonly<z.infer<typeof schema>>

/** `server.json` in the data folder, by which commands find the running server. It outlives a killed server. */
export interface ServerFile {
  write(address: ServerAddress): void
  /** Undefined where there is no file, or none that can be read. */
  read(): ServerAddress | undefined
  remove(): void
}

export function createServerFile(folder: string): ServerFile {
  const path = join(folder, 'server.json')
  return {
    write: (address) => writePrivateFile(path, `${JSON.stringify(address)}\n`),
    read() {
      try {
        return schema.parse(parseJson(readFileSync(path, 'utf8')))
      } catch {
        return undefined
      }
    },
    remove: () => rmSync(path, { force: true }),
  }
}
