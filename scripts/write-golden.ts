// Writes what every exchange of test/golden becomes in the other formats.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { listResults, readGoldenCases, readResult, writeResult } from '../test/support/golden/golden-files.ts'
import { openGoldenMatrix } from '../test/support/golden/golden-matrix.ts'

await using matrix = await openGoldenMatrix()
let changed = 0
for (const golden of readGoldenCases()) {
  const results = await matrix.run(golden)
  for (const name of listResults(golden.folder)) {
    if (!results.some((result) => result.name === name)) rmSync(join(golden.folder, name))
  }
  for (const { name, text } of results) {
    if (readResult(golden.folder, name) !== text) changed += 1
    writeResult(golden.folder, name, text)
  }
}
process.stdout.write(`golden: ${changed} files rewritten\n`)
