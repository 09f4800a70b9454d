// The types of the replies about the next contract. Types only.

export type { NextReport, NextRow } from './report.ts'
