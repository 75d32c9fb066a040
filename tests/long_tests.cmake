# Tests that take longest and show sanitizers nothing of their own: other tests run the same code on
# fewer or smaller networks. Together they are half of the time of all. The sanitizers' preset leaves
# them out; `cmake --preset asan -DEDGETWIN_LONG_TESTS=ON` runs them there too. The release build
# always runs all.
option(EDGETWIN_LONG_TESTS "Run the tests that take minutes under sanitizers" ON)

# Whole networks by the plain operators, and their machines.
set(EDGETWIN_LONG_GOLDEN_TESTS
    EdgeTpuDecompile.RunsEqualTheSource
    EdgeTpuDecompile.ZeroPointsAgreeAlongTheEdges
    EdgeTpuDecompile.LayersAreThoseOfTheSource
    EdgetpuDecompileForms.TheWayLoopsAreWrittenDoesNotMatter
    EdgeTpuScales.NetworksWithoutCompiledFilesAreSolved
    EdgetpuMachineModels.GiveWhatTheirNetworksGive
    EdgetpuMachine.WholeNetworksEqualWhatIsMadeOfThem
    EdgetpuSilicon.OtherRulesForTiesFailThePoseRows
    EdgetpuSilicon.CutOffResultsFailBytesHashesAndStatistics
    EdgetpuStick.TheInstructionsGiveTheBytesOfTheTwin
    EdgetpuForetold.IsWhatTheVendorsCompilerMade
    EdgetpuLikeVendor.WholeFilesComeOutByteForByte
    EvaluateChip.People
    FirmwareTexts.AreFoundAndReadByOneApplication
    Kernels/EspdlCases.PublishedNetworks/plain
    Max78Planner.RealNetworksFitAgain
    Max78Project.OtherFormsCompile
    Max78Project.RunsAgainstMemory
    TfliteCases.WholeModels/plain)
# Firmware that a compiler builds first; searches, trainings and tables of documents.
set(EDGETWIN_LONG_UNIT_TESTS
    CompareChips.GoesOnWithItsJournal
    EdgetpuCompileHostStrips.AResultLeavesAndWaits
    EdgetpuCompileHostStrips.UnevenRows
    EdgetpuDetectors.PoseOfResNet50
    EdgetpuOnnxNetworks.UNet
    EdgetpuVendorStyle.FullyConnectedLayersOfAnySize
    EdgetpuVendorStyle.RandomNetworksPassTheirProof
    FftTables.TheDocumentHasTheTablesOfToday
    FirmwarePicture.FacesAreSuppressedTogetherAndTurnedUpright
    FirmwarePicture.TextsAreFoundAndRead
    FirmwarePicture.TheApplicationReadsYolo26
    FirmwareRun.AnotherChipIsRefused
    FirmwareRun.DigestsNameTheNodeTooAndDamagedDataIsNoticed
    FirmwareRun.ModelsOfPartitionsAreReadFromThere
    ServePipeline.AThousandSwitches
    TrainDigits.NinetyPercentInIntegersAndEqualToTheTwin)

# The filter of GoogleTest that leaves out the tests of a list; "*" where long tests are run.
function(edgetwin_without_long out)
  set(filter "*")
  if(NOT EDGETWIN_LONG_TESTS)
    list(JOIN ARGN ":" names)
    set(filter "-${names}")
  endif()
  set(${out} "${filter}" PARENT_SCOPE)
endfunction()
