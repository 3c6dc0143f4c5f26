// Writes docs/config.schema.json from the schemas in the source: node scripts/write-config-schema.ts
import { writeFileSync } from 'node:fs'
import { writeConfigJsonSchema } from '../src/config/check/known-names.ts'

const target = new URL('../docs/config.schema.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(writeConfigJsonSchema(), null, 2)}\n`)
