import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { renderSbom } from '../../scripts/sbom/render-sbom.ts'
import { walkLockfile } from '../../scripts/sbom/walk-lockfile.ts'

const root = resolve(import.meta.dirname, '../..')
const billSchema = z.object({
  components: z.array(
    z.object({
      'bom-ref': z.string(),
      name: z.string(),
      purl: z.string(),
      scope: z.enum(['required', 'optional']),
      licenses: z.array(z.object({ expression: z.string() })).min(1),
      hashes: z
        .array(z.object({ alg: z.literal('SHA-512'), content: z.string().regex(/^[0-9a-f]{128}$/) }))
        .min(1),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
})
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
})

describe('the bill of materials', () => {
  const bill = billSchema.parse(JSON.parse(renderSbom(root)))
  const refs = bill.components.map((component) => component['bom-ref'])

  it('has every package of the lockfile that is not only for development', () => {
    const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
    const production = Object.entries(packages)
      .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
      .map(([path]) => path)
    const own = /^node_modules\/(?:@headgate\/|headgate-)/
    expect(production.filter((path) => !refs.includes(path) && !own.test(path))).toEqual([])
    expect(production.length).toBeGreaterThan(20)
  })

  it('has the packages in the build of the console, and none that only build or test it', () => {
    const names = bill.components.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['react', 'react-dom', 'd3-scale', '@tanstack/react-router']),
    )
    expect(
      names.filter((name) => ['vite', 'vitest', 'typescript', 'openai', '@types/react'].includes(name)),
    ).toEqual([])
  })

  it('links each package to packages in it', () => {
    const missing = bill.dependencies.flatMap(({ dependsOn }) =>
      dependsOn.filter((ref) => !refs.includes(ref)),
    )
    expect(missing).toEqual([])
  })

  it('marks as optional the packages that only an optional package requires', () => {
    const scopeOf = new Map(bill.components.map(({ name, scope }) => [name, scope]))
    expect([scopeOf.get('undici'), scopeOf.get('pg'), scopeOf.get('pg-pool')]).toEqual([
      'required',
      'optional',
      'optional',
    ])
  })
})

it('a package that another requires in two versions is resolved to the nearest one', () => {
  const entry = (version: string, dependencies = {}) => ({
    version,
    dependencies,
    optionalDependencies: {},
    peerDependencies: {},
    peerDependenciesMeta: {},
  })
  const packages = {
    'node_modules/a': entry('1.0.0', { b: '2' }),
    'node_modules/b': entry('1.0.0'),
    'node_modules/a/node_modules/b': entry('2.0.0'),
  }
  const found = walkLockfile({ lockfileVersion: 3, packages }, [{ folder: '', name: 'a', isOptional: false }])
  expect(found.map(({ path, version }) => [path, version])).toEqual([
    ['node_modules/a', '1.0.0'],
    ['node_modules/a/node_modules/b', '2.0.0'],
  ])
})
