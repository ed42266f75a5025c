// Checked by tsc alone: real reports (real_reports.json, kept by reports.mjs) are of the types of src/data/types.ts, and each
// key that these name is in them, so that neither a type nor the name of a key that may be absent can be wrong.
import type { Report } from '../src/data/types.ts';
import real from './real_reports.json';

export const reports: Record<string, Report> = real;

type Inner<T, Key> = T extends object ? (Key extends keyof T ? T[Key] : never) : never;
// Paths of the keys of Named that Real has not.
type Unseen<Named, Real, Path extends string> = Named extends readonly unknown[]
  ? Unseen<NonNullable<Named[number]>, Inner<Real, number>, `${Path}[]`>
  : Named extends object
    ? string extends keyof Named
      ? Unseen<NonNullable<Named[string & keyof Named]>, Real extends object ? Real[keyof Real] : never, `${Path}.*`>
      : {
          [Key in keyof Named & string]-?: [Inner<Real, Key>] extends [never]
            ? `${Path}.${Key}`
            : Unseen<NonNullable<Named[Key]>, Inner<Real, Key>, `${Path}.${Key}`>;
        }[keyof Named & string]
    : never;

// Of a report as a whole only those of several programs or models have these, which are of types seen elsewhere. The rows of alpha
// and beta are younger than the reports that were kept: tests/e2e/machine_models.py holds their names. No report that was kept is of a machine
// that was measured with PVM in full.
type Elsewhere =
  | `.machine${string}`
  | `.diagnostics[]${string}`
  | '.studies[].peers'
  | `.studies[].machine.alpha_beta${string}`
  | `.studies[].machine.observations.forwarding${string}`
  | `.studies[].machine.observations.printed${string}`;
export const unseen: Exclude<Unseen<Report, (typeof real)[keyof typeof real], ''>, Elsewhere>[] = [];
type None<T extends never> = T;
export type AllSeen = None<(typeof unseen)[number]>;
