import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import {
  type ConsoleManifest,
  codings,
  consoleManifestName,
  consoleManifestSchema,
} from './console-manifest-schema.ts'

export interface ConsoleFile {
  readonly type: string
  /** The coding of the bytes; undefined where they are as they were built. */
  readonly coding: (typeof codings)[number]['name'] | undefined
  readonly bytes: Buffer
}

/** The console as the build left it. */
export interface ConsoleFiles {
  /** The page of the console; undefined while there is none. */
  page(): Promise<string | undefined>
  /** A file that the build listed, in a coding that the browser takes; undefined where there is no such file. */
  find(path: string, accepted: string | undefined): Promise<ConsoleFile | undefined>
}

/**
 * Serves the files of a folder that a build may replace at any time. Paths are looked up in the list of the build and
 * never joined to the folder as received, so that none leads out of it.
 */
export function createConsoleFiles(folder: string): ConsoleFiles {
  let known: { readonly changedAtMs: number; readonly manifest: ConsoleManifest } | undefined

  async function readManifest(): Promise<ConsoleManifest | undefined> {
    const path = join(folder, consoleManifestName)
    const changedAtMs = await stat(path).then(({ mtimeMs }) => mtimeMs, onMissing)
    if (changedAtMs === undefined) return undefined
    if (known?.changedAtMs === changedAtMs) return known.manifest
    const text = await readFile(path, 'utf8').catch(onMissing)
    if (text === undefined) return undefined
    const manifest = consoleManifestSchema.parse(JSON.parse(text))
    known = { changedAtMs, manifest }
    return manifest
  }

  return {
    async page() {
      const manifest = await readManifest()
      return manifest && (await readFile(join(folder, manifest.page), 'utf8').catch(onMissing))
    },
    async find(path, accepted) {
      const manifest = await readManifest()
      const listed = manifest?.files
      if (listed === undefined || !Object.hasOwn(listed, path)) return undefined
      const file = listed[path]
      if (file === undefined) return undefined
      const coding = codings.find(({ name }) => file.codings.includes(name) && accepts(accepted, name))
      const bytes = await readFile(join(folder, path + (coding?.ending ?? ''))).catch(onMissing)
      return bytes && { type: file.type, coding: coding?.name, bytes }
    },
  }
}

/** A build replaces the folder as a whole, so that a file can be gone in the middle of a request. */
function onMissing(error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw error
  return undefined
}

/** Whether `Accept-Encoding` names the coding, and not with a weight of zero (RFC 9110 §12.5.3). */
function accepts(header: string | undefined, coding: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
}
