import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { lockfileSchema, type NeededPackage, type Root, walkLockfile } from './walk-lockfile.ts'

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
})

/**
 * The bill of materials of what runs: the packages of the server, and those that are built into the console
 * (https://cyclonedx.org/docs/1.5/json, seen 2026-11-24). `npm sbom --omit dev` leaves out packages that a development
 * dependency needs as well.
 */
export function renderSbom(root: string): string {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const manifest = manifestSchema.parse(read('package.json'))
  const packages = walkLockfile(lockfileSchema.parse(read('package-lock.json')), [
    ...rootsOf(manifest.dependencies, false),
    ...rootsOf(manifest.optionalDependencies, true),
    ...findConsolePackages(root).map((name) => ({ folder: 'console', name, isOptional: false })),
  ])
  const own = purlOf(manifest)
  const direct = new Set([
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
  ])
  const atRoot = packages.filter(({ path, name }) => path === `node_modules/${name}` && direct.has(name))
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': own,
        type: 'application',
        name: manifest.name,
        version: manifest.version,
        description: manifest.description,
        licenses: [{ license: { id: manifest.license } }],
        purl: own,
      },
    },
    components: packages.map(writeComponent),
    dependencies: [
      { ref: own, dependsOn: atRoot.map(({ path }) => path) },
      ...packages.map(({ path, needs }) => ({ ref: path, dependsOn: [...new Set(needs)].sort() })),
    ],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

function rootsOf(dependencies: Readonly<Record<string, string>>, isOptional: boolean): readonly Root[] {
  return Object.keys(dependencies).map((name) => ({ folder: '', name, isOptional }))
}

/** The packages that pages of the console import, which its build puts into the files that browsers get. */
function findConsolePackages(root: string): readonly string[] {
  const folder = join(root, 'console/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name),
  )
  const specifiers = files.flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(/\bfrom '([^'.][^']*)'/g),
  ])
  const names = specifiers.map(([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
  // Programs that the console shows to its users name other packages.
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'console/package.json'), 'utf8'))
  const { devDependencies } = z.object({ devDependencies: z.record(z.string(), z.string()) }).parse(manifest)
  return Object.keys(devDependencies).filter((name) => names.includes(name))
}

function purlOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function writeComponent(needed: NeededPackage): object {
  const { path, name, version, license, integrity, isOptional } = needed
  return {
    'bom-ref': path,
    type: 'library',
    name,
    version,
    scope: isOptional ? 'optional' : 'required',
    ...(integrity === undefined ? {} : { hashes: writeHashes(integrity) }),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl: purlOf(needed),
  }
}

const algorithms: Readonly<Record<string, string>> = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' }

/** npm writes a digest as `sha512-` and base64, CycloneDX in hexadecimal digits. */
function writeHashes(integrity: string): readonly object[] {
  return integrity.split(' ').flatMap((one) => {
    const [algorithm = '', digest = ''] = one.split(/-(.*)/s)
    const alg = algorithms[algorithm]
    return alg === undefined ? [] : [{ alg, content: Buffer.from(digest, 'base64').toString('hex') }]
  })
}
