import { z } from 'zod'

const dependenciesSchema = z.record(z.string(), z.string()).default({})

const packageSchema = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  dependencies: dependenciesSchema,
  optionalDependencies: dependenciesSchema,
  peerDependencies: dependenciesSchema,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).default({}),
})

/** The parts of npm's lockfile, version 3, that say what is installed at which path. */
export const lockfileSchema = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), packageSchema),
})

export type Lockfile = z.output<typeof lockfileSchema>

/** A package that is needed at run time. */
export interface NeededPackage {
  /** The path in the lockfile, such as `node_modules/pino`. */
  readonly path: string
  readonly name: string
  readonly version: string
  readonly license: string | undefined
  readonly integrity: string | undefined
  /** Whether everything works without it. */
  readonly isOptional: boolean
  /** The paths of the packages that it needs. */
  readonly needs: readonly string[]
}

export interface Root {
  /** The folder of the workspace that needs it; empty for the root. */
  readonly folder: string
  readonly name: string
  readonly isOptional: boolean
}

/** Finds all packages that roots need, as Node finds them: in the nearest `node_modules` above. */
export function walkLockfile({ packages }: Lockfile, roots: readonly Root[]): readonly NeededPackage[] {
  const found = new Map<string, NeededPackage>()
  const locate = (from: string, name: string): string | undefined => {
    for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
      const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
      if (packages[path] !== undefined) return path
      if (folder === '') return undefined
    }
  }
  const visit = (path: string, isOptional: boolean): void => {
    const known = found.get(path)
    if (known !== undefined && (isOptional || !known.isOptional)) return
    const entry = packages[path]
    if (entry?.version === undefined) return
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entry
    const peers = Object.keys(peerDependencies).filter(
      (name) => peerDependenciesMeta[name]?.optional !== true,
    )
    const names = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
    const located = [...names].map((name) => ({ name, at: locate(path, name) }))
    found.set(path, {
      path,
      name: path.replace(/^.*node_modules\//, ''),
      version: entry.version,
      license: entry.license,
      integrity: entry.integrity,
      isOptional,
      needs: located.flatMap(({ at }) => at ?? []),
    })
    for (const { name, at } of located) {
      if (at !== undefined) visit(at, isOptional || optionalDependencies[name] !== undefined)
    }
  }
  for (const { folder, name, isOptional } of roots) {
    const path = locate(folder, name)
    if (path !== undefined) visit(path, isOptional)
  }
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}
