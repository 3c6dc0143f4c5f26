import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { providerRegistry } from '../src/providers/registry.ts'
import chaosPackage from '../tools/chaos/package.json' with { type: 'json' }
import {
  folderOf,
  importsOf,
  packageOf,
  readSourceFiles,
  readToolFiles,
  type SourceFile,
  sharedRooms,
  valueImportsOf,
} from './support/source-files.ts'

const tools = readToolFiles()
const files = [...readSourceFiles(), ...tools]

/** The folders that each folder may import besides itself, `kit` and `canonical`. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  canonical: [],
  wire: [],
  catalog: [],
  providers: ['wire', 'catalog'],
  upstream: [],
  uploads: [],
  access: [],
  oidc: ['access', 'upstream'],
  'stored-answers': ['access', 'catalog'],
  metering: ['access', 'catalog'],
  routing: ['catalog'],
  telemetry: [],
  alerts: ['metering', 'telemetry'],
  capture: ['wire'],
  'request-log': ['telemetry'],
  pipeline: [
    'wire',
    'catalog',
    'providers',
    'upstream',
    'uploads',
    'capture',
    'access',
    'stored-answers',
    'metering',
    'routing',
    'telemetry',
  ],
  config: [
    'access',
    'stored-answers',
    'metering',
    'routing',
    'alerts',
    'capture',
    'request-log',
    'telemetry',
    'catalog',
    'providers',
  ],
  admin: [
    'access',
    'alerts',
    'capture',
    'metering',
    'routing',
    'request-log',
    'telemetry',
    'catalog',
    'providers',
    'config',
  ],
  storage: [
    'access',
    'alerts',
    'capture',
    'stored-answers',
    'metering',
    'routing',
    'request-log',
    'telemetry',
    'catalog',
    'config',
    'admin',
  ],
  simulator: ['wire'],
  server: ['pipeline', 'wire', 'uploads', 'admin', 'telemetry'],
  cli: ['app', 'admin', 'config', 'tools'],
  tools: ['wire', 'config', 'simulator'],
}

/** The files that the fault tools import from the gateway besides `kit`. */
const importedByTools: readonly string[] = [
  // The error of a chaos command is printed as any other command's.
  'src/canonical/operator-error.ts',
  // Good answers are written in the words of each format, as the gateway writes them.
  'src/canonical/reply-event.ts',
  'src/canonical/reply.ts',
  'src/canonical/usage.ts',
  'src/wire/chat/format.ts',
  'src/wire/completions/format.ts',
  'src/wire/embeddings/reply/write-reply.ts',
  'src/wire/messages/count-tokens/count-tokens-format.ts',
  'src/wire/messages/format.ts',
  'src/wire/model-list/write-model-list.ts',
  'src/simulator/create-schema-instance.ts',
  // A script is read, and its mistakes are shown, as a configuration's are.
  'src/config/config-error.ts',
  'src/config/source/read-yaml.ts',
  'src/config/source/write-path.ts',
]

/** The rooms that each room of `pipeline/` may import. The files directly in it may import every room. */
const roomMayImport: Readonly<Record<string, readonly string[]>> = {
  exchange: [],
  response: ['exchange'],
  reasoning: ['exchange'],
  spending: ['exchange'],
  relay: ['exchange'],
  idempotency: ['exchange', 'response'],
  'stored-responses': ['exchange', 'reasoning'],
  references: ['exchange'],
  lane: ['exchange', 'response', 'relay', 'reasoning', 'stored-responses', 'references'],
  attempt: ['exchange', 'response', 'relay', 'lane'],
  retrieval: ['exchange', 'response', 'relay', 'lane', 'attempt', 'stored-responses'],
  batches: ['exchange', 'response', 'lane', 'attempt', 'retrieval', 'spending'],
  passthrough: ['exchange', 'response', 'attempt', 'spending'],
  'gemini-objects': ['attempt', 'batches', 'exchange', 'references', 'retrieval'],
  'message-objects': ['batches', 'exchange', 'lane', 'references', 'response', 'retrieval', 'spending'],
  realtime: ['attempt', 'spending'],
}

/** The most files of source that a folder may hold, so that a reader sees it at a glance. */
const maxFiles = 32

/** The composition root: `app.ts` and its parts. Together they know every folder. */
const rootFolder = 'app'

/** The folders in which each runtime package may be imported. */
const packageFolders: Readonly<Record<string, (file: SourceFile) => boolean>> = {
  '@fastify/busboy': ({ folder }) => folder === 'uploads',
  undici: ({ folder }) => folder === 'upstream',
  // Signatures are a matter of one provider.
  aws4fetch: ({ folder }) => folder === 'providers',
  kysely: ({ folder }) => folder === 'storage' || folder === rootFolder,
  pg: ({ folder }) => folder === 'storage',
  pino: ({ folder }) => folder === 'telemetry',
  'prom-client': ({ folder }) => folder === 'telemetry',
  commander: ({ folder }) => folder === 'cli',
  jose: ({ folder }) => folder === 'providers',
  'openid-client': ({ folder }) => folder === 'oidc',
  ws: ({ folder }) => ['server', 'upstream', 'simulator'].includes(folder),
  yaml: ({ folder }) => folder === 'config' || folder === 'admin',
  // Schemas check what comes from outside: settings, admin requests and their answers, files and rows read back.
  zod: ({ folder, path }) =>
    ['config', 'admin', 'storage', 'cli', 'tools'].includes(folder) || path.endsWith('-schema.ts'),
}

const pureFolders = ['canonical', 'wire', 'catalog', 'providers', 'routing']
const pureNodeModules = ['node:buffer', 'node:crypto']

function violations(find: (file: SourceFile) => readonly string[]): readonly string[] {
  return files.flatMap((file) => find(file).map((problem) => `${file.path}: ${problem}`))
}

/** The first table of `docs/architecture.md` behind a sentence of it: what each folder or room may import. */
function readDocumentedImports(after: string): Readonly<Record<string, readonly string[]>> {
  const document = readFileSync(resolve(import.meta.dirname, '../docs/architecture.md'), 'utf8')
  const table = document.slice(document.indexOf(after)).match(/^(?:\|.*\n)+/m)?.[0] ?? ''
  const [, , ...rows] = table.trimEnd().split('\n')
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [, names = '', targets = ''] = row.split('|')
      const allowed = targets
        .replace(/:.*/, '')
        .split(',')
        .map((target) => target.trim())
      const none = ['nothing more', 'no other room']
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [
        name,
        allowed.filter((target) => !none.includes(target)).sort(),
      ])
    }),
  )
}

function sorted(table: Readonly<Record<string, readonly string[]>>): typeof table {
  return Object.fromEntries(Object.entries(table).map(([name, targets]) => [name, [...targets].sort()]))
}

describe('the tables of docs/architecture.md', () => {
  it('state for each folder what it may import', () => {
    const { tools: fromTools = [], cli = [], kit: _, canonical: __, ...others } = mayImport
    const withToolPath = {
      ...others,
      cli: cli.map((folder) => (folder === 'tools' ? 'tools/chaos' : folder)),
      'tools/chaos': fromTools,
      [rootFolder]: ['all'],
    }
    expect(readDocumentedImports('All may import `kit` and `canonical`')).toEqual(sorted(withToolPath))
  })

  it('state for each folder of the pipeline which others it may import', () => {
    expect(readDocumentedImports('Within `pipeline`, each room')).toEqual(sorted(roomMayImport))
  })
})

describe('imports', () => {
  it('are found in every syntax', () => {
    const code = [
      `import a from 'one'`,
      `import type { B } from "two"`,
      `import {\n  type C,\n  d,\n} from './three.ts'`,
      `import 'four'`,
      `export { e } from 'five'`,
      `export * from 'six'`,
      `type F = import('./seven.ts').F`,
      `const g = await import('eight')`,
      `const text = "taken from 'nowhere'"`,
    ].join('\n')
    expect([...importsOf(code)].sort()).toEqual(
      ['./seven.ts', './three.ts', 'eight', 'five', 'four', 'one', 'six', 'two'].sort(),
    )
  })

  it('are read from the whole source', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(files.length)
  })

  it('of every folder are in the table', () => {
    const folders = new Set(files.map(({ folder }) => folder))
    expect(
      [...folders].filter((folder) => folder !== rootFolder && !Object.hasOwn(mayImport, folder)),
    ).toEqual([])
  })

  it('are in a table whose folders all exist', () => {
    const folders = new Set(files.map(({ folder }) => folder))
    const named = Object.entries(mayImport).flatMap(([folder, allowed]) => [folder, ...allowed])
    expect(named.filter((name) => !folders.has(name))).toEqual([])
  })

  it('lead only to the folders in the table', () => {
    const wrong = violations(({ folder, imports }) => {
      const allowed = new Set([folder, 'kit', 'canonical', ...(mayImport[folder] ?? [])])
      if (folder === rootFolder) return []
      if (folder === 'kit') allowed.delete('canonical')
      return imports.flatMap(({ target }) =>
        target === undefined || allowed.has(folderOf(target)) ? [] : [`may not import ${target}`],
      )
    })
    expect(wrong).toEqual([])
  })

  it('of storage occur only in the composition root', () => {
    const wrong = violations(({ folder, imports }) =>
      folder === 'storage' || folder === rootFolder
        ? []
        : imports.flatMap(({ target }) => (target?.startsWith('storage/') ? [`imports ${target}`] : [])),
    )
    expect(wrong).toEqual([])
  })

  it('of the composition root occur only in itself and in cli', () => {
    const wrong = violations(({ folder, imports }) =>
      imports.flatMap(({ target }) => {
        const isRoot = target !== undefined && folderOf(target) === rootFolder
        return isRoot && ![rootFolder, 'cli'].includes(folder) ? [`imports ${target}`] : []
      }),
    )
    expect(wrong).toEqual([])
  })

  it('name their file with its extension, and the file exists', () => {
    const paths = new Set(files.map(({ path }) => path))
    const wrong = violations(({ imports }) =>
      imports.flatMap(({ target }) =>
        target === undefined || paths.has(target) || target.endsWith('.json') ? [] : [`imports ${target}`],
      ),
    )
    expect(wrong).toEqual([])
  })

  it('of a folder of the pipeline lead only to the folders in the table', () => {
    const wrong = violations(({ path, imports }) => {
      const room = pipelineRoomOf(path)
      if (room === undefined) return []
      const allowed = new Set([room, ...(roomMayImport[room] ?? [])])
      return imports.flatMap(({ target }) => {
        const other = target === undefined ? undefined : pipelineRoomOf(target)
        return other === undefined || allowed.has(other) ? [] : [`may not import ${target}`]
      })
    })
    expect(wrong).toEqual([])
  })

  it('of a wire format lead to no other one, only to the folders that formats share', () => {
    const wrong = violations(({ path, imports }) =>
      imports.flatMap(({ target }) => {
        const other = target === undefined ? undefined : wireRoomOf(target)
        if (other === undefined || other === wireRoomOf(path) || !path.startsWith('wire/')) return []
        return sharedRooms.includes(other) ? [] : [`may not import ${target}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('find every folder that formats share', () => {
    const rooms = new Set(files.map(({ path }) => wireRoomOf(path)))
    expect(sharedRooms.filter((room) => !rooms.has(room))).toEqual([])
  })

  it('form no cycle between files', () => {
    expect(findCycles()).toEqual([])
  })

  it('of packages occur only where the package belongs', () => {
    const wrong = violations((file) =>
      file.imports.flatMap(({ specifier, target }) => {
        if (target !== undefined || specifier.startsWith('node:')) return []
        return packageFolders[packageOf(specifier)]?.(file) === true ? [] : [`may not import ${specifier}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('of kit are only kit and node, except for schemas', () => {
    const wrong = violations(({ folder, path, imports }) =>
      imports.flatMap(({ specifier, target }) => {
        if (folder !== 'kit' || specifier.startsWith('node:')) return []
        const isOwn = target?.startsWith('kit/') === true
        const isSchema = path.endsWith('-schema.ts') && specifier === 'zod'
        return isOwn || isSchema ? [] : [`may not import ${specifier}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('of pure folders include no input or output', () => {
    const wrong = violations(({ folder, imports }) =>
      imports.flatMap(({ specifier }) => {
        const isForbidden = specifier.startsWith('node:') && !pureNodeModules.includes(specifier)
        return pureFolders.includes(folder) && isForbidden ? [`may not import ${specifier}`] : []
      }),
    )
    expect(wrong).toEqual([])
  })
})

/** The room of a file in `pipeline/`; none for the files directly in it. */
function pipelineRoomOf(path: string): string | undefined {
  const [folder, room, file] = path.split('/')
  return folder === 'pipeline' && file !== undefined ? room : undefined
}

/** The room of a file in `wire/`, a format's or a shared one; none for the files directly in it. */
function wireRoomOf(path: string): string | undefined {
  const [folder, room, file] = path.split('/')
  return folder === 'wire' && file !== undefined ? room : undefined
}

/** Cycles as chains of paths, one for each file that closes one. */
function findCycles(): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) cycles.push([...trail.slice(at), path].join(' > '))
    if (at !== -1 || done.has(path)) return
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined) visit(target, [...trail, path])
    }
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}

describe('the fault tools', () => {
  it('are loaded by one file of the command line, once a command runs them', () => {
    const importers = files.filter(
      ({ folder, imports }) => folder !== 'tools' && imports.some(({ target }) => isTool(target)),
    )
    expect(importers.map(({ path }) => path)).toEqual(['cli/chaos.ts'])
    const statements = importers.flatMap(({ code }) => [...code.matchAll(/^import\b(?! type\b)[^(].*$/gm)])
    expect(statements.map(([statement]) => statement).filter((one) => one.includes('/tools/'))).toEqual([])
  })

  it('import from the gateway exactly what is in the list', () => {
    const taken = tools.flatMap(({ imports }) => imports.flatMap(({ target }) => target ?? []))
    const others = taken.filter((target) => !isTool(target) && folderOf(target) !== 'kit')
    expect([...new Set(others)].map((target) => `src/${target}`).sort()).toEqual([...importedByTools].sort())
  })

  it('export files that exist', () => {
    const paths = new Set(tools.map(({ path }) => path))
    const exported = Object.values(chaosPackage.exports).map((path) => posix.join('../tools/chaos', path))
    expect(exported.filter((path) => !paths.has(path))).toEqual([])
  })

  it('are used from outside only through the exports of the package', () => {
    const exported = new Set(
      Object.values(chaosPackage.exports).map((path) => posix.join('tools/chaos', path)),
    )
    expect(toolsUsedOutside().filter((path) => !exported.has(path))).toEqual([])
  })
})

function isTool(target: string | undefined): boolean {
  return target !== undefined && folderOf(target) === 'tools'
}

/**
 * The files of the fault tools that `src`, tests, benchmarks and scripts import, from the root of the repository on.
 */
function toolsUsedOutside(): readonly string[] {
  const root = resolve(import.meta.dirname, '..')
  return ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(({ name, parentPath }) => name.endsWith('.ts') && !parentPath.includes('node_modules'))
      .flatMap(({ name, parentPath }) =>
        importsOf(readFileSync(join(parentPath, name), 'utf8'))
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => relative(root, resolve(parentPath, specifier)).split(sep).join('/')),
      )
      .filter((path) => path.startsWith('tools/chaos/') && path.endsWith('.ts')),
  )
}

describe('files', () => {
  it('are at most 300 lines long', () => {
    const long = violations(({ text }) => {
      const lines = text.trimEnd().split('\n').length
      return lines > 300 ? [`has ${lines} lines`] : []
    })
    expect(long).toEqual([])
  })

  it(`are at most ${maxFiles} in one folder`, () => {
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > maxFiles)).toEqual([])
  })

  it('have names in kebab-case', () => {
    const names = violations(({ path }) =>
      /^(\.\.\/)?([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(path)
        ? []
        : ['is not in kebab-case'],
    )
    expect(names).toEqual([])
  })

  it('are not barrels', () => {
    const barrels = violations(({ path, code }) => {
      const isIndex = /(^|\/)index\.tsx?$/.test(path)
      const hasReexport = /^\s*export\s+(type\s+)?(\*|\{[^}]*\})[^;'"]*\bfrom\b/m.test(code)
      return [...(isIndex ? ['is an index'] : []), ...(hasReexport ? ['exports what is not its own'] : [])]
    })
    expect(barrels).toEqual([])
  })

  it('have a blank line after their imports', () => {
    const wrong = violations(({ text }) =>
      /^(?:import\b[^;]*?from '[^']+'|import '[^']+')(?: with \{[^}]*\})?\n(?!import\b|\n|$)/m.test(text)
        ? ['goes on at once']
        : [],
    )
    expect(wrong).toEqual([])
  })

  it('use names for the lengths of minutes, hours and days', () => {
    // The first has the names; the others are lists of lengths that have no name of their own.
    const allowed = [
      'kit/time/time-units.ts',
      'storage/request-log/duration-class.ts',
      'request-log/latency-histogram.ts',
    ]
    const wrong = violations(({ path, code }) =>
      /(?<![\d_])(?:60_000|3_600_000|86_400_000)\b/.test(code) && !allowed.includes(path)
        ? ['has a bare number']
        : [],
    )
    expect(wrong).toEqual([])
  })

  it('contain no path of a developer’s machine', () => {
    const wrong = violations(({ text }) => (/\/(work|home|Users)\/\w/.test(text) ? ['names a path'] : []))
    expect(wrong).toEqual([])
  })
})

describe('the contracts of the admin API', () => {
  // A contract says what goes over the wire; its fields may stand in a file of their own. A browser imports both.
  const isContract = (path: string) => /^admin\/(?:[\w-]+\/)*[\w-]+-(?:contract|fields)\.ts$/.test(path)
  const contracts = files.filter(({ path }) => isContract(path))
  const byPath = new Map(files.map((file) => [file.path, file]))

  /** The modules that come along when a file is imported by value, itself included. */
  function modulesOf(file: SourceFile, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(file.path)) return seen
    seen.add(file.path)
    const byValue = new Set(valueImportsOf(file.code))
    for (const { specifier, target } of file.imports) {
      if (!byValue.has(specifier)) continue
      const next = target === undefined ? undefined : byPath.get(target)
      if (next === undefined) seen.add(specifier)
      else modulesOf(next, seen)
    }
    return seen
  }

  /** Words that the API and the noun itself share. */
  const vocabularies: readonly string[] = ['access/people/role.ts', 'canonical/audit.ts']

  it('bring into a browser only zod, one another, helpers of kit and shared words', () => {
    expect(contracts.length).toBeGreaterThan(10)
    const wrong = contracts.flatMap((file) =>
      [...modulesOf(file)]
        .filter((name) => name !== 'zod' && !isContract(name) && !name.startsWith('kit/'))
        .filter((name) => !vocabularies.includes(name))
        .map((name) => `${file.path}: brings in ${name}`),
    )
    expect(wrong).toEqual([])
  })

  it('import from the rest of admin only the schemas of its input', () => {
    const wrong = contracts.flatMap(({ path, imports }) =>
      imports.flatMap(({ target }) =>
        target?.startsWith('admin/') !== true || isContract(target) || target.endsWith('-input-schema.ts')
          ? []
          : [`${path}: imports ${target}`],
      ),
    )
    expect(wrong).toEqual([])
  })
})

describe('side effects', () => {
  const findWords = (pattern: RegExp, isAllowed: (file: SourceFile) => boolean) =>
    violations((file) =>
      isAllowed(file) ? [] : [...file.code.matchAll(pattern)].map((match) => `uses ${match[0]}`),
    )

  it('of time use the injected clock', () => {
    const clocks =
      /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\b(setTimeout|setInterval|setImmediate)\(|'node:timers[^']*'/g
    // A connection's own timer alone knows whether bytes still move; the end of a turn of the event loop is no time.
    const allowed = [
      'kit/time/clock.ts',
      'kit/net/close-when-stalled.ts',
      'server/body/read-body.ts',
      'server/listener/serve-in-turn.ts',
    ]
    expect(findWords(clocks, ({ path }) => allowed.includes(path))).toEqual([])
  })

  it('of chance use the injected source', () => {
    const chance = /\bMath\.random\b|\brandom(Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/g
    expect(findWords(chance, ({ folder }) => folder === 'kit')).toEqual([])
  })

  it('of the environment are read only by config and cli', () => {
    expect(findWords(/\bprocess\.env\b/g, ({ folder }) => ['config', 'cli'].includes(folder))).toEqual([])
  })

  it('never write to the console', () => {
    expect(findWords(/(?<!\/\/|-)\bconsole\.\w+/g, () => false)).toEqual([])
  })

  it('never silence the compiler', () => {
    const casts = /@ts-(ignore|expect-error|nocheck)|\bas any\b|\bas unknown as\b/g
    expect(findWords(casts, ({ folder }) => folder === 'kit')).toEqual([])
  })
})

describe('providers', () => {
  // Wire formats have the same names.
  const formatNames = new Set(['gemini', 'cohere', 'ollama'])
  const ids = providerRegistry.ids.filter((id) => !formatNames.has(id))
  // The model list's own words for the chat and messages formats, fixed by clients.
  const isNamedByRight = ({ path, folder }: SourceFile, id: string) =>
    ['providers', 'simulator', 'tools', 'config'].includes(folder) ||
    (path === 'wire/model-list/write-model.ts' && ['openai', 'anthropic'].includes(id))

  it('are named only in their declarations, the simulator, the fault tools and the discovery of channels', () => {
    const wrong = violations((file) =>
      ids
        .filter((id) => !isNamedByRight(file, id))
        .filter((id) => file.code.includes(`'${id}'`) || file.code.includes(`"${id}"`))
        .map((id) => `names ${id}`),
    )
    expect(wrong).toEqual([])
  })
})
