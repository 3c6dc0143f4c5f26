export const captureMessages = {
  'capture.mark': 'Captured',
  'capture.label': 'Capture',
  'capture.of.prompts': 'Prompts are captured',
  'capture.of.answers': 'Answers are captured',
  'capture.of.both': 'Prompts and answers are captured',
  'capture.title': 'Prompt and answer',
  'capture.why': 'They are stored for reading. Each reading is recorded in the audit.',
  'capture.read': 'Read them',
  'capture.unreadable': 'They were sealed with another secret and cannot be read.',
  'capture.prompt': 'Prompt',
  'capture.answer': 'Answer',
} as const
