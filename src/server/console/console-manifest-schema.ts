import { z } from 'zod'

/** The codings that a file may also be stored in, the densest first, and the ending of each. */
export const codings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

export const consoleManifestName = 'files.json'

/** The list of the console's files, as the build writes it beside them. A path that is not in it is not served. */
export const consoleManifestSchema = z.object({
  page: z.string().meta({ description: 'The page that every path of the console begins with.' }),
  files: z.record(z.string(), z.object({ type: z.string(), codings: z.array(z.enum(['br', 'gzip'])) })),
})

export type ConsoleManifest = Readonly<z.output<typeof consoleManifestSchema>>
