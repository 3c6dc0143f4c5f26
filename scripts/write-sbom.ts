// Writes the bill of materials of what runs, as CycloneDX: node scripts/write-sbom.ts FILE, or to standard output.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderSbom } from './sbom/render-sbom.ts'

const [file] = process.argv.slice(2)
const bill = renderSbom(join(import.meta.dirname, '..'))
if (file === undefined) process.stdout.write(bill)
else writeFileSync(file, bill)
