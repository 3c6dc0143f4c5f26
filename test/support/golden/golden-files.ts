import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A folder of `test/golden`: an exchange in one format, and what it becomes in the others. */
export interface GoldenCase {
  readonly format: string
  readonly name: string
  readonly folder: string
  readonly request: Readonly<Record<string, unknown>> | undefined
  readonly reply: GoldenReply | undefined
}

export interface GoldenReply {
  readonly status: number
  readonly isStream: boolean
  readonly body: string
}

const root = resolve(import.meta.dirname, '../../golden')

export function readGoldenCases(): readonly GoldenCase[] {
  const folders = (folder: string) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  return folders(root).flatMap((format) =>
    folders(join(root, format)).map((name) => {
      const folder = join(root, format, name)
      return { format, name, folder, request: readRequest(folder), reply: readReply(folder) }
    }),
  )
}

function readRequest(folder: string): GoldenCase['request'] {
  const file = join(folder, 'request.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** `reply.json` and `reply.sse` are answers of status 200; `reply.400.json` is an error. */
function readReply(folder: string): GoldenReply | undefined {
  const file = readdirSync(folder).find((name) => /^reply(\.\d{3})?\.(json|sse)$/.test(name))
  if (file === undefined) return undefined
  const status = Number(/\.(\d{3})\./.exec(file)?.[1] ?? 200)
  return { status, isStream: file.endsWith('.sse'), body: readFileSync(join(folder, file), 'utf8') }
}

/** The content of a result's file; undefined where there is none yet. */
export function readResult(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

export function writeResult(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

/** Names of the results that stand in a folder, such as `request.to-chat.json`. */
export function listResults(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /\.to-/.test(name))
}
