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
  /** The content coding of the bytes; undefined without one. */
  readonly coding: (typeof codings)[number]['name'] | undefined
  readonly bytes: Buffer
}

/** The files of the console from its last build. */
export interface ConsoleFiles {
  /** The page of the console; undefined before the first build. */
  page(): Promise<string | undefined>
  /** Finds a file of the build, in a coding that the browser accepts. Undefined if there is no such file. */
  find(path: string, accepted: string | undefined): Promise<ConsoleFile | undefined>
}

/**
 * Serves the files of a folder that a build may replace at any time. Paths are looked up in the manifest of the build
 * and never joined to the folder as received, so no path leads out of the folder.
 */
export function createConsoleFiles(folder: string): ConsoleFiles {
  let cached: { readonly changedAtMs: number; readonly manifest: ConsoleManifest } | undefined

  async function readManifest(): Promise<ConsoleManifest | undefined> {
    const path = join(folder, consoleManifestName)
    const changedAtMs = await stat(path).then(({ mtimeMs }) => mtimeMs, onMissing)
    if (changedAtMs === undefined) return undefined
    if (cached?.changedAtMs === changedAtMs) return cached.manifest
    const text = await readFile(path, 'utf8').catch(onMissing)
    if (text === undefined) return undefined
    const manifest = consoleManifestSchema.parse(JSON.parse(text))
    cached = { changedAtMs, manifest }
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

/** A build replaces the whole folder, so a file can disappear during a request. */
function onMissing(error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw error
  return undefined
}

/** Whether `Accept-Encoding` names the coding with a weight above zero (RFC 9110 §12.5.3). */
function accepts(header: string | undefined, coding: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
}
