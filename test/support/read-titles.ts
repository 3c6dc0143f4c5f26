import { type CodeFile, readCodeFiles } from './source-files.ts'

/** The text behind the name of a call of Vitest, or behind the table of cases of `each` and the condition of `skipIf`. */
const TITLE = /(?:^\s*(?:it|test|describe)(?:\.\w+)*\(|\)\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm

/** The titles of the tests, one for each entry, with the file that has it. */
export function readTitles(): readonly CodeFile[] {
  return readCodeFiles()
    .filter(({ file }) => /\.test\.tsx?$/.test(file))
    .flatMap(({ file, text }) => [...text.matchAll(TITLE)].map(([, , title = '']) => ({ file, text: title })))
}
