import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

export interface UnpackedChromium {
  readonly executable: string
  /** A configuration of fontconfig, so that a text is as wide on every machine, in English and in Chinese. */
  readonly fontFile: string
}

const root = resolve(import.meta.dirname, '../../..')
const packageFolder = resolve(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')
const chineseFonts = resolve(dirname(fileURLToPath(import.meta.resolve('@embedpdf/fonts-sc'))), '../fonts')

/**
 * Unpacks the Chromium that npm brought, once for each version. The package itself would unpack it into the folder for
 * temporary files under a name that anybody may have taken.
 */
export function unpackChromium(): UnpackedChromium {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  const folder = join(root, 'node_modules', '.cache', `chromium-${version}`)
  if (!existsSync(folder)) unpackInto(folder)
  return { executable: join(folder, 'chromium'), fontFile: join(folder, 'fonts.conf') }
}

function unpackInto(folder: string): void {
  const made = `${folder}.${process.pid}`
  mkdirSync(join(made, 'fonts'), { recursive: true })
  const unpack = (name: string) => brotliDecompressSync(readFileSync(join(packageFolder, 'bin', name)))
  writeFileSync(join(made, 'chromium'), unpack('chromium.br'), { mode: 0o755 })
  execFileSync('tar', ['-xf', '-', '-C', join(made, 'fonts')], { input: unpack('fonts.tar.br') })
  writeFileSync(join(made, 'fonts.conf'), describeFonts(folder))
  try {
    renameSync(made, folder)
  } catch (error) {
    // Another test unpacked it in the meantime.
    rmSync(made, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

function describeFonts(folder: string): string {
  const prefer = (family: string, ...names: readonly string[]) =>
    `<alias><family>${family}</family><prefer>${names.map((name) => `<family>${name}</family>`).join('')}</prefer></alias>`
  return [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    ...['/usr/share/fonts', join(folder, 'fonts'), chineseFonts].map((path) => `<dir>${path}</dir>`),
    `<cachedir>${join(folder, 'font-cache')}</cachedir>`,
    ...['sans-serif', 'system-ui'].map((family) => prefer(family, 'Open Sans', 'Noto Sans Hans')),
    prefer('monospace', 'DejaVu Sans Mono', 'Noto Sans Hans'),
    '</fontconfig>',
  ].join('\n')
}
