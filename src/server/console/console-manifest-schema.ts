import { z } from 'zod'

/** The codings in which a file may also be stored, the most compact first, with their file endings. */
export const codings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

export const consoleManifestName = 'files.json'

/**
 * The list of the console's files, which the build writes next to them. A path that is not in the list is not served.
 */
export const consoleManifestSchema = z.object({
  page: z.string().meta({ description: 'The page that every path of the console begins with.' }),
  files: z.record(z.string(), z.object({ type: z.string(), codings: z.array(z.enum(['br', 'gzip'])) })),
})

export type ConsoleManifest = Readonly<z.output<typeof consoleManifestSchema>>
