package io.streamfusion.sql.hook;

/** Marks the planner factory that gives StreamFusion's planner. */
public interface HookedFactory {}
